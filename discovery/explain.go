package discovery

func exactly(wanted bool) *Explanation {
	if !wanted {
		return nil
	}
	return &Explanation{Bonuses: []Bonus{{Name: "exact_name", Score: 1}}}
}

func (s *search) explain(i uint32, folded []uint32, h *Hints) (*Explanation, error) {
	return &Explanation{}, nil
}
