// An operator's first steps against a gateway that has just started: sign in as root, add a channel, create a token, make a call
// and a streamed call, and find both charged to the unit. The upstream is a small server of this process.
import { createServer } from 'node:http';

const MODEL = 'gpt-4o-mini';
const ANSWER = 'served by the release check';
const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
/** In quota units: 0.075 for each prompt token and four times that for each completion token, the built-in price of `model`. */
const CHARGE = 225;
const PATIENCE_MS = 20_000;

/** `address`: of the gateway, which must allow channels on 127.0.0.1. Throws an error that says what was wrong. */
export async function makeFirstCalls(address, rootPassword) {
  const upstream = await startUpstream();
  try {
    const api = await signIn(address, rootPassword);
    await api('/api/channel/', {
      name: 'check',
      type: 1,
      key: 'sk-check',
      base_url: upstream.address,
      models: MODEL,
      groups: 'default',
    });
    const [token] = await api('/api/token/', { name: 'check', unlimited_quota: true });
    const before = await api('/api/user/self');
    for (const stream of [false, true]) await expectAnswer(address, `sk-${token.key}`, stream);
    if (upstream.calls() !== 2) throw new Error(`two calls became ${upstream.calls()} calls of the upstream`);
    await expectCharges(api, before.quota);
  } finally {
    upstream.close();
  }
}

async function startUpstream() {
  let calls = 0;
  const answerCall = async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { messages, stream } = JSON.parse(Buffer.concat(parts).toString());
    // A new channel asks with empty requests which formats its upstream has (ADR 46).
    if (request.url !== '/v1/chat/completions' || !(messages?.length > 0)) {
      response.writeHead(request.url === '/v1/chat/completions' ? 400 : 404).end('{"error":{}}');
      return;
    }
    calls += 1;
    const head = { id: 'chatcmpl-1', created: 1, model: MODEL };
    if (stream !== true) {
      const message = { role: 'assistant', content: ANSWER };
      response.setHeader('content-type', 'application/json');
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
      return;
    }
    const event = (fields) =>
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`);
    response.setHeader('content-type', 'text/event-stream');
    for (const content of ANSWER.split(/(?<= )/))
      event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    event({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => void answerCall(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    calls: () => calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A function that asks the admin API as root, and returns the answer's `data`. */
async function signIn(address, password) {
  let headers = { 'content-type': 'application/json' };
  const ask = async (place, body) => {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(address + place, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok || !text.includes('"success":true'))
      throw new Error(`${place} answered ${response.status}: ${text.slice(0, 500)}`);
    return { response, data: JSON.parse(text).data };
  };
  const { response, data } = await ask('/api/user/login', { username: 'root', password });
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  headers = { ...headers, cookie: cookies.join('; '), 'New-Api-User': String(data.id) };
  return async (place, body) => (await ask(place, body)).data;
}

async function expectAnswer(address, key, stream) {
  const response = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: MODEL, stream, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  const text = await response.text();
  const received = stream ? streamedText(text) : JSON.parse(text).choices?.[0]?.message?.content;
  if (response.status !== 200 || received !== ANSWER)
    throw new Error(`a call (stream: ${stream}) was answered ${response.status}: ${text.slice(0, 1000)}`);
}

/** The text of a stream's events; undefined when the stream has no end. */
function streamedText(text) {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data);
  if (events.at(-1) !== '[DONE]') return undefined;
  return events
    .slice(0, -1)
    .map((data) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('');
}

/** The rows of the log follow their calls within a moment. */
async function expectCharges(api, quotaBefore) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { items } = await api('/api/log/self?type=2&p=1&page_size=10');
    const charges = items.map(({ quota, is_stream }) => `${quota}${is_stream ? ' streamed' : ''}`).toSorted();
    const paid = quotaBefore - (await api('/api/user/self')).quota;
    if (charges.join() === `${CHARGE},${CHARGE} streamed` && paid === 2 * CHARGE) return;
    if (Date.now() > deadline)
      throw new Error(
        `each call costs ${CHARGE}; the log has [${charges.join(', ')}], the balance paid ${paid}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
