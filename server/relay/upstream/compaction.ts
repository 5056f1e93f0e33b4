// Emulates /v1/responses/compact for upstreams without it: the model summarises the conversation, and the answer has the
// shape of a compaction (the user's messages, and the summary in place of everything else).
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import { objects, text, type Json } from '#server/models/formats/json.ts';

const wish = `Summarise this conversation so that the work can go on from the summary alone. Keep: the goal and every \
constraint, decisions and their reasons, files and commands with their exact names, results that matter, and what is left \
to do. Leave out pleasantries. Answer with the summary only.`;

/** The summary is a model answer and is billed like one. */
export const standsIn: ConversionNote = {
  field: 'compaction',
  what: 'approximated',
  detail: 'the upstream has none; the model was asked for a summary, charged as a call of its own',
};

export function askForSummary(request: CanonicalRequest): CanonicalRequest {
  const {
    tools: _tools,
    toolChoice: _choice,
    parallelToolCalls: _parallel,
    responseFormat: _format,
    ...rest
  } = request;
  return {
    ...rest,
    stream: false,
    messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: wish }] }],
  };
}

/** `response`: the summary as a response; `input`: the conversation as the caller sent it. */
export function asCompaction(response: Json, input: unknown): Json {
  const summary = objects(response['output'])
    .flatMap((item) => objects(item['content']))
    .map((part) => text(part['text']))
    .join('');
  const said = objects(input)
    .filter((item) => (item['type'] ?? 'message') === 'message' && item['role'] === 'user')
    .map((item) => ({ ...item, type: 'message' }));
  return {
    id: response['id'],
    object: 'response.compaction',
    created_at: response['created_at'],
    output: [
      ...said,
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: `Summary of the conversation so far:\n${summary}` }],
      },
    ],
    usage: response['usage'],
  };
}
