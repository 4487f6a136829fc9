package cmdtool

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestExit(t *testing.T) {
	text := func(text string) tool.Content { return tool.Content{Type: tool.ContentText, Text: text} }
	png := []byte("\x89PNG\r\n\x1a\n\x00")
	exit := map[string]string{"1": "nothing found", "2": "", "255": "${as it is}"}
	tests := []struct {
		name, script string
		exit         map[string]string
		mode         tool.OutputMode
		want         tool.Output
		code         tool.Code // instead of want
	}{
		{"a success", "echo x", exit, "", tool.Output{Content: []tool.Content{text("x\n")}}, ""},
		{"a success without output", "true", exit, "", tool.Output{}, ""},
		{"found nothing", "exit 1", exit, "", tool.Output{Content: []tool.Content{text("nothing found")}, Noop: true}, ""},
		{"found nothing and ended the line", "echo; exit 1", exit, "", tool.Output{Content: []tool.Content{text("nothing found")}, Noop: true}, ""},
		{"found nothing and said why", "echo why >&2; exit 1", exit, "", tool.Output{Content: []tool.Content{text("nothing found")}, Noop: true}, ""},
		{"found nothing under JSON", "exit 1", exit, tool.OutputJSON, tool.Output{Content: []tool.Content{text("nothing found")}, Noop: true}, ""},
		{"found a part", "echo part; exit 1", exit, "", tool.Output{Content: []tool.Content{text("nothing found"), text("part\n")}}, ""},
		{"found JSON", "echo '{}'; exit 1", exit, tool.OutputJSON, tool.Output{Content: []tool.Content{text("nothing found"), text("{}")}, Structured: []byte("{}")}, ""},
		{"found what is not JSON", "echo '{'; exit 1", exit, tool.OutputJSON, tool.Output{}, tool.UpstreamError},
		{"found an image", `printf '\211PNG\r\n\032\n\000'; exit 1`, exit, "", tool.Output{Content: []tool.Content{text("nothing found"), {Type: tool.ContentImage, Data: png, MIMEType: "image/png"}}}, ""},
		{"no text for it", "echo x; exit 2", exit, "", tool.Output{Content: []tool.Content{text("x\n")}}, ""},
		{"the highest status, and text that is no template", "exit 255", exit, "", tool.Output{Content: []tool.Content{text("${as it is}")}, Noop: true}, ""},
		{"another status", "echo x; exit 3", exit, "", tool.Output{}, tool.UpstreamError},
		{"a success that is listed", "echo x", map[string]string{"0": "done"}, "", tool.Output{Content: []tool.Content{text("done"), text("x\n")}}, ""},
		{"a silent success that is listed", "true", map[string]string{"0": "done"}, "", tool.Output{Content: []tool.Content{text("done")}, Noop: true}, ""},
		{"too much, then a listed status", "head -c 70000 /dev/zero; exit 1", exit, "", tool.Output{}, tool.TooLarge},
		{"an image", `printf '\211PNG\r\n\032\n\000'`, nil, "", tool.Output{Content: []tool.Content{{Type: tool.ContentImage, Data: png, MIMEType: "image/png"}}}, ""},
		{"bytes of no known kind", `printf '\377\376\000'`, nil, tool.OutputAuto, tool.Output{Content: []tool.Content{{Type: tool.ContentResource, Data: []byte("\xff\xfe\x00"), MIMEType: "application/octet-stream"}}}, ""},
		{"content blocks", `echo '[{"type": "image", "data": "AAE=", "mimeType": "image/png"}]'; exit 1`, exit, tool.OutputContent, tool.Output{Content: []tool.Content{text("nothing found"), {Type: tool.ContentImage, Data: []byte{0, 1}, MIMEType: "image/png"}}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, Config{Argv: shell(test.script), Exit: test.exit}, Deps{Output: test.mode, Dir: t.TempDir()})
			got, err := r.Run(t.Context(), input(t, `{}`))
			if test.code != "" {
				wantFailure(t, err, test.code)
			} else if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}
