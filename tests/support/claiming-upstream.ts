// An upstream that answers two words and reports whatever usage the request asks it to claim, in OpenAI's chat format and in
// Anthropic's, whole or as a stream. Other paths answer the claim itself as the whole body.
export interface ClaimingUpstream extends AsyncDisposable {
  url: string;
}

/** The text of a message that makes the upstream claim this usage. */
export const claim = (usage: object, text = 'Hello there.', seconds = 0): string =>
  `claim:${JSON.stringify({ usage, text, seconds })}`;

interface Claim {
  usage: object;
  text: string;
  /** How long it thinks before it answers. */
  seconds: number;
}

export function startClaimingUpstream(): ClaimingUpstream {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const sent = await request.text();
      const [, text = '"{}"'] = /("claim:(?:[^"\\]|\\.)*")/.exec(sent) ?? [];
      const wanted = JSON.parse((JSON.parse(text) as string).replace('claim:', '')) as Claim;
      await Bun.sleep(wanted.seconds * 1000);
      const isStream = /"stream":\s*true/.test(sent);
      const { pathname } = new URL(request.url);
      if (pathname.endsWith('/messages')) return isStream ? messageEvents(wanted) : message(wanted);
      if (pathname.endsWith('/chat/completions')) return isStream ? chatEvents(wanted) : chat(wanted);
      return Response.json({ object: 'list', data, results, ...wanted.usage });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => await server.stop(true),
  };
}

const data = [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }];
const results = [{ index: 0, relevance_score: 0.5 }];

const chat = ({ usage, text }: Claim): Response =>
  Response.json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  });

const message = ({ usage, text }: Claim): Response =>
  Response.json({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage,
  });

const stream = (events: readonly string[]): Response =>
  new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });

function chatEvents({ usage, text }: Claim): Response {
  const chunk = (rest: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...rest })}\n\n`;
  return stream([
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: text } }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ]);
}

function messageEvents({ usage, text }: Claim): Response {
  const event = (type: string, rest: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const start = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  return stream([
    event('message_start', { message: start }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage }),
    event('message_stop', {}),
  ]);
}
