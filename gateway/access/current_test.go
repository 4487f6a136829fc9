package access_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/toolgate/toolgate/gateway/access"
)

// TestStreamsEndWithTheToken holds that what a caller reads ends when the token
// is taken back or its rights change, that others read on, and that calls go on.
func TestStreamsEndWithTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var current access.Current
		current.Swap(book(t, access.Config{}, true))
		ended, finish := map[string]chan struct{}{}, make(chan struct{})
		h := access.Guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
				close(ended[r.URL.RawQuery])
			case <-finish:
			}
		}), &current)
		for name, token := range map[string]string{"ann": annToken, "client": clientToken} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				ended[name+method] = make(chan struct{})
				go recorded(h, request(method, "/v1/events?"+name+method, "", "localhost", "Authorization", "Bearer "+token))
			}
			ended[name+"listens"] = make(chan struct{})
			go recorded(h, request(http.MethodPost, "/mcp?"+name+"listens", "", "localhost", "Authorization", "Bearer "+token, "Mcp-Method", "subscriptions/listen"))
		}
		over := func() (names []string) {
			synctest.Wait()
			for name, c := range ended {
				select {
				case <-c:
					names = append(names, name)
				default:
				}
			}
			return names
		}
		current.Swap(book(t, access.Config{Hosts: []string{"localhost"}}, true)) // everybody is who they were
		if names := over(); len(names) > 0 {
			t.Errorf("%v ended for nothing", names)
		}
		current.Swap(other(t)) // ann has another token, and there is no client
		if names := over(); len(names) != 4 {
			t.Errorf("%v ended, want what was read", names)
		}
		for _, name := range []string{"annGET", "clientGET", "annlistens", "clientlistens"} {
			select {
			case <-ended[name]:
			default:
				t.Errorf("%s goes on", name)
			}
		}
		close(finish)
		synctest.Wait()
	})
}

// TestAnonymousStreamsEnd holds that what is read without a token ends when the
// first token is configured, and not before.
func TestAnonymousStreamsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var current access.Current
		ended := false
		h := access.Guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			ended = true
		}), &current)
		go recorded(h, request(http.MethodGet, "/v1/events", "", "localhost"))
		synctest.Wait()
		current.Swap(book(t, access.Config{Hosts: []string{"localhost"}}, false))
		synctest.Wait()
		if ended {
			t.Error("it ended for nothing")
		}
		current.Swap(book(t, access.Config{}, true))
		synctest.Wait()
		if !ended {
			t.Fatal("it goes on without a token")
		}
	})
}
