// Command upstream is the small internal API that the example configuration
// calls: a shop with a few customers and orders, in memory, on loopback.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Customer is a customer of the example shop.
type Customer struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Order is an order of a customer; amounts are in cents.
type Order struct {
	ID       int    `json:"id"`
	Customer string `json:"customer"`
	Item     string `json:"item"`
	Cents    int    `json:"cents"`
}

type shop struct {
	customers map[string]Customer
	orders    []Order
}

func newShop() *shop {
	return &shop{
		customers: map[string]Customer{
			"7":  {ID: "7", Name: "Ada Moreau", Email: "ada@example.com"},
			"12": {ID: "12", Name: "Jun Okafor", Email: "jun@example.com"},
		},
		orders: []Order{
			{ID: 1001, Customer: "7", Item: "tea", Cents: 1250},
			{ID: 1002, Customer: "7", Item: "kettle", Cents: 4900},
			{ID: 1003, Customer: "12", Item: "cups", Cents: 2100},
		},
	}
}

func (s *shop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /customers/{id}", s.customer)
	mux.HandleFunc("GET /orders", s.list)
	mux.HandleFunc("POST /payments", s.pay)
	return mux
}

func (s *shop) customer(w http.ResponseWriter, r *http.Request) {
	c, ok := s.customers[r.PathValue("id")]
	if !ok {
		answer(w, http.StatusNotFound, map[string]string{"message": "there is no customer " + r.PathValue("id")})
		return
	}
	answer(w, http.StatusOK, map[string]Customer{"customer": c})
}

func (s *shop) list(w http.ResponseWriter, r *http.Request) {
	limit := len(s.orders)
	if text := r.FormValue("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			answer(w, http.StatusBadRequest, map[string]string{"message": "limit must be a positive integer"})
			return
		}
		limit = n
	}
	found := []Order{}
	for _, o := range s.orders {
		if c := r.FormValue("customer"); (c == "" || c == o.Customer) && len(found) < limit {
			found = append(found, o)
		}
	}
	answer(w, http.StatusOK, map[string][]Order{"orders": found})
}

func (s *shop) pay(w http.ResponseWriter, r *http.Request) {
	var payment struct {
		Amount   json.Number `json:"amount"`
		Customer string      `json:"customer"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&payment); err != nil {
		answer(w, http.StatusBadRequest, map[string]string{"message": err.Error()})
		return
	}
	answer(w, http.StatusCreated, map[string]any{"paid": payment.Amount, "customer": payment.Customer})
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9090", "address to listen on")
	flag.Parse()
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("example API on http://" + listener.Addr().String())
	server := &http.Server{Handler: newShop().handler(), ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
}
