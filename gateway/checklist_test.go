package gateway_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// demand is a line of the security checklist, or a part of one: what the tests are that hold
// it, each as package/Test, or why it does not apply.
type demand struct {
	what   string
	tests  string // with spaces between them
	reason string
}

// The reasons of several lines.
const (
	staticTokens = "does not apply: tokens are fixed texts of the configuration, and JWTs and OAuth are not accepted"
	noSources    = "does not apply yet: no tool is imported from another server; names and descriptions are the operator's own"
)

// checklist follows the security guidance of the Model Context Protocol
// (2026-07-28: security_best_practices, authorization/security-considerations,
// basic/transports, server/tools, client/elicitation) and what a gateway adds to
// it. First match decides among rules, where the guidance has "deny beats ask
// beats allow".
func checklist() []demand {
	return []demand{
		// Tokens.
		{what: "a bearer token is validated on every request, also GET and DELETE, and never read from the query string", tests: "gateway/access/TestAuthorization cmd/gateway/TestEveryDoorAsksForTheToken"},
		{what: "a token that is taken out of the configuration stops working", tests: "gateway/access/TestSwap gateway/access/TestStreamsEndWithTheToken"},
		{what: "tokens cannot be guessed, and one names one caller", tests: "gateway/access/TestResolve cmd/gateway/TestLintBad"},
		{what: "who may call may do nothing else by that", tests: "gateway/access/TestRights gateway/access/TestMissingRightIsNamed gateway/tool/TestCan"},
		{what: "signature, issuer, expiry and audience of a token; 401 for a wrong audience", reason: staticTokens + "; a text that is no token of this gateway gets 401"},
		{what: "no token passthrough: what a caller shows is never sent on", tests: "cmd/gateway/TestTokenIsNotPassedOn"},
		{what: "upstream credentials are the gateway's own, per upstream, from secrets", tests: "gateway/httptool/TestAuth gateway/httptool/TestAuthOfTheTool gateway/httptool/TestRedirect gateway/assembly/TestSecretsThatAreNeeded"},
		{what: "headers that are forwarded are an explicit list", reason: "does not apply: no header of a client is forwarded, and no key could say so"},
		{what: "RFC 9728 metadata, resource_metadata in the challenge", reason: staticTokens + "; the paths answer 404, so that clients do not look further"},
		{what: "401 with WWW-Authenticate: Bearer; 403 with insufficient_scope and the missing right", tests: "gateway/access/TestAuthorization gateway/access/TestRights cmd/gateway/TestEveryDoorAsksForTheToken"},
		{what: "confused deputy: consent, redirect URIs, state, cookies", reason: "does not apply: the gateway is no authorization server and no OAuth client on behalf of users; it has client credentials only"},

		// The transport.
		{what: "an Origin that is not allowed gets 403, whatever the method", tests: "gateway/access/TestGuardHostAndOrigin gateway/access/FuzzGuard"},
		{what: "Host allowlist, also off loopback", tests: "gateway/access/TestGuardHostAndOrigin gateway/access/TestProbesByAddress cmd/gateway/TestLintBad"},
		{what: "the content type is application/json", tests: "gateway/mcpserver/TestHeadersThatDisagree gateway/httpapi/TestAnswers"},
		{what: "no Access-Control-Allow-Origin: *", tests: "gateway/access/TestShares"},
		{what: "it listens on 127.0.0.1 by default, and nowhere else without tokens", tests: "gateway/config/TestDefaults cmd/gateway/TestLintBad gateway/access/TestGuardHostAndOrigin"},
		{what: "headers of a request are held against its body before anything is decided by them; no header is made of arguments (x-mcp-header)", tests: "gateway/mcpserver/TestHeadersThatDisagree gateway/mcpserver/TestWaysAgreeOnHTTP"},
		{what: "cacheScope private wherever a list depends on the caller", tests: "gateway/mcpserver/TestWire gateway/mcpserver/TestWaysAgree gateway/httpapi/TestETag"},

		// Sessions, handles and chats.
		{what: "sessions are pinned to their caller and are never authentication", tests: "gateway/mcpserver/TestSessionOfAnotherCaller gateway/mcpserver/TestSessionCallerIsThatOfTheRequest gateway/mcpserver/TestSessionHeaderOfTheNewEra cmd/gateway/TestEveryDoorAsksForTheToken"},
		{what: "sessions are bounded and end when idle", tests: "gateway/mcpserver/TestSessionLimit gateway/mcpserver/TestIdleSessionEnds"},
		{what: "handles are random, of 128 bits or more, bound to the caller, and expire", tests: "gateway/tool/TestNewCallID gateway/result/FuzzHandle gateway/result/TestFolderShowsNothingOfOthers gateway/result/TestFolderExpiry gateway/assembly/TestResultsAreTheCallersOwn gateway/handle/TestOthersSeeNothing gateway/handle/TestForgotten"},
		{what: "chats are bound to the caller and expire", tests: "gateway/chat/TestOwners gateway/chat/TestKeptAcross cmd/gateway/TestChatsOverHTTP gateway/httpapi/TestChatsOfOthers"},
		{what: "a tool outside of a chat's set is called through no door; what is activated in one chat shows in no other; no model activates", tests: "cmd/gateway/TestChatsSetAtEveryDoor cmd/gateway/TestDoors gateway/assembly/TestChatsOwnSet gateway/assembly/TestAskingGrantsNothing gateway/mcpserver/TestChatChanged gateway/httpapi/TestGroupsOfChats gateway/chat/TestGroupsOfOneChat"},
		{what: "requestState of MRTR: authenticated, bound, single use", tests: "gateway/mcpserver/TestForgedStates gateway/mcpserver/TestStateIsForOneCall gateway/mcpserver/TestStateOfAnotherQuestion gateway/mcpserver/TestBroughtAnswers"},
		{what: "only declared capabilities are asked for; else denied with a clear error, never allowed silently", tests: "gateway/mcpserver/TestNobodyIsAskedUndeclared gateway/mcpserver/TestMissingCapability cmd/gateway/TestDoors gateway/TestCallEndings"},
		{what: "a form never asks for secrets and names tool and arguments", tests: "gateway/TestUserSeesNoSecret gateway/mcpserver/TestQuestion gateway/mcpserver/TestQuestionText"},

		// Tools.
		{what: "arguments are validated", tests: "gateway/schema/TestMistakes gateway/schema/TestWording gateway/TestInvalidArgumentsShowTheSchema"},
		{what: "calls are limited per caller and tool", tests: "policy/TestLimitHoldsInParallel policy/TestMemoryCounterSubjects gateway/TestCallsAreCounted gateway/admission/TestFull"},
		{what: "timeouts and caps of answers", tests: "gateway/TestTimeoutAndCancel gateway/TestLargeResult gateway/httptool/TestConformance gateway/cmdtool/TestConformance"},
		{what: "answers are text that can be shown, without secrets", tests: "gateway/result/TestFitMakesTextValid gateway/TestNoSecretLeaves cmd/gateway/TestNoSecretLeaves"},
		{what: "arguments are parsed once, duplicate keys refused, decided on and sent on as that value, with every digit", tests: "gateway/TestOrder gateway/schema/TestNormaliseWording gateway/schema/FuzzRead gateway/schema/TestLimits gateway/httptool/TestRequests policy/TestDecisions"},
		{what: "processes: exact command of the configuration, no shell, environment allowlist, folder, group kill, standard error captured", tests: "gateway/cmdtool/TestProgramsBelongToTheConfiguration gateway/cmdtool/TestQuotations gateway/cmdtool/TestEnvironmentIsAFixedList gateway/cmdtool/TestNoVariableButThoseOfEnv gateway/cmdtool/TestCwd gateway/cmdtool/TestNobodyLeavesTheGroup gateway/cmdtool/TestWhatFailuresTell"},
		{what: "gateway lint shows the commands of MCP servers that it would start", reason: "does not apply yet: there are no MCP upstreams; what a command tool runs stands in the file as it is run"},
		{what: "SSRF: private, link-local and metadata addresses at dial time, redirects hop by hop, of every URL there is", tests: "gateway/httptool/TestBlockedAddresses gateway/httptool/TestRebinding gateway/httptool/TestRedirects gateway/httptool/TestRedirectFromHTTPS gateway/httptool/TestNetworksOfAnUpstream gateway/httptool/FuzzNextAddress gateway/httptool/TestOAuth2Endpoint gateway/httptool/TestProxy gateway/httptool/TestDo"},
		{what: "links in answers are never fetched", tests: "cmd/gateway/TestLinksAreNotFollowed"},
		{what: "a remote $ref is never fetched", tests: "gateway/schema/TestMistakes"},
		{what: "annotations and descriptions of upstreams are untrusted, pinned, cleaned", reason: noSources},
		{what: "no name shadows another, also by case", tests: "gateway/registry/TestConfusableNames cmd/gateway/TestLintBad"},
		{what: "first match decides, and a rule that fails denies", tests: "policy/TestDecide policy/TestAgainstReference policy/TestDecisions"},
		{what: "a denied tool is absent from lists and suggestions, and reads like one that does not exist", tests: "gateway/TestToolsHidesWhatIsDenied policy/TestVisibility cmd/gateway/TestDoors cmd/gateway/TestRulesSeeTheCaller"},
		{what: "calls of the code interpreter go through the same gate", reason: "does not apply yet: there is no code interpreter; a call inside another takes the same path (gateway/admission/TestNested)"},

		// The record.
		{what: "every call is recorded: caller, tool, decision, rule, arguments, duration", tests: "gateway/TestNothingRunsUnrecorded gateway/TestNoAnswerWithoutRecord gateway/TestCallEndings gateway/runlog/TestRecordComesBackWhole"},
		{what: "no secret in the record, in lines or in any metric", tests: "cmd/gateway/TestNoTokenLeaves cmd/gateway/TestNoSecretLeaves gateway/config/TestPrintSecrets gateway/config/TestProblemsShowNoCredentials"},
		{what: "the log cannot be forged", tests: "cmd/gateway/TestLogCannotBeForged gateway/runlog/FuzzRecord"},
	}
}

// TestChecklist holds that every demand is held by tests that there are, or that
// it is said why it does not apply.
func TestChecklist(t *testing.T) {
	there := testsBelow(t, "..")
	if !there["gateway/TestChecklist"] || there["gateway/TestNothing"] {
		t.Fatal("the tests are not found")
	}
	for _, d := range checklist() {
		if (d.tests == "") == (d.reason == "") {
			t.Errorf("%q needs either tests or a reason", d.what)
		}
		for name := range strings.FieldsSeq(d.tests) {
			if !there[name] {
				t.Errorf("%q names %s, and there is no such test", d.what, name)
			}
		}
	}
}

// testsBelow are the tests of the module, each as package/Test.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && leftOut(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		for _, name := range testsOf(file) {
			found[filepath.ToSlash(filepath.Join(folder, name))] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// testsOf are the tests of a file that are run by their own.
func testsOf(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || len(f.Type.Params.List) != 1 {
			continue
		}
		if slices.ContainsFunc([]string{"Test", "Fuzz"}, func(start string) bool { return strings.HasPrefix(f.Name.Name, start) }) {
			names = append(names, f.Name.Name)
		}
	}
	return names
}
