// Looks at the text of events without parsing it: most events of a stream only pass. A piece is plain when it is whole
// events without anything the relay must read: no usage object, no error object, no end marker, no comment.

const nullUsageBefore = ',"usage":null';
const nullUsageAfter = '"usage":null,';

const lf = 10;
const cr = 13;
const closeObject = 125;
const colon = 58;
const space = 32;
const letterN = 110;

/** `name` occurs as a value, or as a member whose value is not null. Inside a string its quotes would be escaped. */
export function hasMember(text: string, name: string): boolean {
  let at = text.indexOf(name);
  while (at >= 0) {
    let next = at + name.length;
    while (text.charCodeAt(next) === space) next += 1;
    if (text.charCodeAt(next) !== colon) return true;
    next += 1;
    while (text.charCodeAt(next) === space) next += 1;
    if (text.charCodeAt(next) !== letterN) return true;
    at = text.indexOf(name, next);
  }
  return false;
}

/** `text` ends with a blank line. Events of these streams are JSON objects: one that does not end like one is parsed. */
export function isPlain(text: string): boolean {
  return (
    isJsonEnd(text) && !text.includes('[DONE]') && !hasMember(text, '"usage"') && !hasMember(text, '"error"')
  );
}

/** Ends like an object, and is no comment. */
export function isJsonEnd(text: string): boolean {
  let last = text.length - 1;
  let code = text.charCodeAt(last);
  while (code === lf || code === cr) code = text.charCodeAt((last -= 1));
  return code === closeObject && text.charCodeAt(0) !== colon;
}

export function hasFinish(text: string): boolean {
  return text.includes('"finish_reason":"');
}

/** The same without `"usage":null`, which upstreams add to each chunk once usage is asked for. */
export function withoutNullUsage(text: string): string {
  const at = text.indexOf(nullUsageBefore);
  if (at < 0) return text.replaceAll(nullUsageAfter, '');
  const rest = text.slice(at + nullUsageBefore.length);
  // Mostly there is one event, with one of them.
  const after = rest.includes(nullUsageBefore) ? rest.replaceAll(nullUsageBefore, '') : rest;
  return text.slice(0, at) + after;
}
