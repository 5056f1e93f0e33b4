// One mail: a subject and plain text, and the same text as simple HTML. A line that starts with four spaces (a code) is
// emphasised.

export interface Letter {
  recipient: string;
  subject: string;
  text: string;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const EMPHASISED = /^ {4}(?=\S)/;

export function htmlOf(text: string): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => {
    const lines = paragraph.split('\n').map((line) => {
      const content = linked(escaped(line.trim()));
      return EMPHASISED.test(line)
        ? `<strong style="font-size:24px;letter-spacing:4px">${content}</strong>`
        : content;
    });
    return `<p style="margin:0 0 16px">${lines.join('<br>')}</p>`;
  });
  return (
    '<!doctype html><html><body style="margin:0;padding:24px;font:15px/1.6 -apple-system,Segoe UI,' +
    `PingFang SC,Microsoft YaHei,sans-serif;color:#1c1e21"><div style="max-width:560px">${paragraphs.join('')}` +
    '</div></body></html>'
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Call after escaping: the address then has no quote. */
function linked(html: string): string {
  return html.replaceAll(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}
