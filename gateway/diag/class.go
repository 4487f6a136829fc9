package diag

// Class is the kind of a warning: what lint tells it by in what programs read, and
// what it is silenced by. It never changes for what it was given to.
type Class string

// The classes. [Classes] says of each what it means.
const (
	UnreachableRule   Class = "unreachable-rule"
	DuplicateRule     Class = "duplicate-rule"
	ConstantCondition Class = "constant-condition"
	ShadowedPattern   Class = "shadowed-pattern"
	UnmatchedRule     Class = "unmatched-rule"
	UnmatchedHook     Class = "unmatched-hook"
	UnmatchedPattern  Class = "unmatched-pattern"
	UnknownTag        Class = "unknown-tag"
	UnknownCaller     Class = "unknown-caller"
	LoosePattern      Class = "loose-pattern"
	AbsentArgument    Class = "absent-argument"
	NoPolicy          Class = "no-policy"
	LoosenedPolicy    Class = "loosened-policy"
	NobodyApproves    Class = "nobody-approves"

	UnusableTool       Class = "unusable-tool"
	UnfindableTool     Class = "unfindable-tool"
	MissingDescription Class = "missing-description"
	LongDescription    Class = "long-description"
	LongName           Class = "long-name"
	ConfusableNames    Class = "confusable-names"
	MisspeltTag        Class = "misspelt-tag"
	SuspectSchema      Class = "suspect-schema"
	LargeSchema        Class = "large-schema"
	TooManyTools       Class = "too-many-tools"
	LargeList          Class = "large-list"
	LeftOutTool        Class = "left-out-tool"

	EmptyGroup      Class = "empty-group"
	InactiveGroup   Class = "inactive-group"
	EmptyProfile    Class = "empty-profile"
	UnusableProfile Class = "unusable-profile"

	EmptySource          Class = "empty-source"
	AbsentSource         Class = "absent-source"
	StaleDocument        Class = "stale-document"
	DocumentFlaws        Class = "document-flaws"
	LeftOutOperation     Class = "left-out-operation"
	MissingCredentials   Class = "missing-credentials"
	UnusedCredentials    Class = "unused-credentials"
	CredentialsElsewhere Class = "credentials-elsewhere"

	PlainHTTP       Class = "plain-http"
	OpenNetwork     Class = "open-network"
	RefusedAddress  Class = "refused-address"
	LiteralSecret   Class = "literal-secret"
	SecretInText    Class = "secret-in-text"
	UnsignedWebhook Class = "unsigned-webhook"
	ShellInjection  Class = "shell-injection"
	NoShell         Class = "no-shell"
	BodyOfGet       Class = "body-of-get"
	PollSettings    Class = "poll-settings"

	UnusedUpstream   Class = "unused-upstream"
	UselessSetting   Class = "useless-setting"
	UnmatchedInclude Class = "unmatched-include"
	StrayVariable    Class = "stray-variable"
	UselessIgnore    Class = "useless-ignore"
	OtherWarning     Class = "other"
)

// ClassText is a class and what it means, in a sentence.
type ClassText struct {
	Class Class
	Text  string
}

// Classes are all classes, in the order in which documentation has them.
func Classes() []ClassText {
	return []ClassText{
		{UnreachableRule, "Every call that the rule is about is decided by earlier rules, so it never decides."},
		{DuplicateRule, "The rule asks what an earlier rule asked already, so it never decides."},
		{ConstantCondition, "A condition is always true, or never."},
		{ShadowedPattern, "Earlier rules of another action decide about every tool that a pattern of the rule fits."},
		{UnmatchedRule, "The rule is about none of the tools."},
		{UnmatchedHook, "A hook, or an entry of inject, is about none of the tools."},
		{UnmatchedPattern, "A name or a pattern fits none of the tools."},
		{UnknownTag, "No tool has the tag."},
		{UnknownCaller, "A pattern fits none of the callers that are declared."},
		{LoosePattern, "A pattern of an allow rule fits every text that has a fitting part."},
		{AbsentArgument, "A call that leaves out an argument gets past the rule."},
		{NoPolicy, "There is no policy, so every call is allowed."},
		{LoosenedPolicy, "A later file takes away what an earlier one denies."},
		{NobodyApproves, "Calls wait for an answer that nobody may give."},
		{UnusableTool, "The policy lets nobody see or call the tool."},
		{UnfindableTool, "A tool that is deferred cannot be found, or not be called by what finds it."},
		{MissingDescription, "Models are not told what a tool or a group is for."},
		{LongDescription, "Some providers refuse or cut a description of this length."},
		{LongName, "Some clients refuse or cut a name of this length."},
		{ConfusableNames, "Models take two tools for each other."},
		{MisspeltTag, "The tag is nearly one that has a meaning of its own."},
		{SuspectSchema, "A schema says something else than its author seems to mean."},
		{LargeSchema, "A schema is so large or so deep that providers refuse it, or it fills the prompt."},
		{TooManyTools, "There are more tools in a list than providers take."},
		{LargeList, "The tools in a list take a large part of a model's context."},
		{LeftOutTool, "A tool is left out, for something that it requires is missing."},
		{EmptyGroup, "No tool is in the group."},
		{InactiveGroup, "Nobody can make the group active."},
		{EmptyProfile, "No tool is in the profile."},
		{UnusableProfile, "The policy or admit keeps everybody from every tool of the profile."},
		{EmptySource, "No tool comes of the source."},
		{AbsentSource, "The document of a source cannot be had, so its tools are missing or were not looked at."},
		{StaleDocument, "The document of a source cannot be had, so a copy is used."},
		{DocumentFlaws, "The document of a source has flaws, which were repaired or passed over."},
		{LeftOutOperation, "Operations of a document do not become tools."},
		{MissingCredentials, "A service will refuse calls for want of credentials."},
		{UnusedCredentials, "Nothing asks for the credentials."},
		{CredentialsElsewhere, "Credentials go where somebody else says."},
		{PlainHTTP, "Credentials are sent over plain http."},
		{OpenNetwork, "Tools may reach every private address."},
		{RefusedAddress, "Every call will be refused, for tools may not reach the address."},
		{LiteralSecret, "A credential is written in the file."},
		{SecretInText, "The value of a secret stands in what everybody is shown."},
		{UnsignedWebhook, "Requests to a webhook are not signed."},
		{ShellInjection, "What a model sends becomes part of a program for a shell."},
		{NoShell, "A text is written for a shell, and none reads it."},
		{BodyOfGet, "A request of a method without a body has one."},
		{PollSettings, "The settings of poll do not fit each other, or the address."},
		{UnusedUpstream, "No tool calls the upstream."},
		{UselessSetting, "A setting changes nothing."},
		{UnmatchedInclude, "A pattern of include fits no file."},
		{StrayVariable, "A variable of the environment is named like a setting and names no key."},
		{UselessIgnore, "A comment silences nothing."},
		{OtherWarning, "Something is valid and yet not what anyone wants."},
	}
}
