// The baseline: the least a Bun program can do and still be a relay, without keys, checks and books. Forwards the
// caller's headers and body (read whole: a gateway must, to know the model) and passes the upstream's body on unchanged.
const upstream = process.env['UPSTREAM'] ?? '';
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'];

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  development: false,
  async fetch(request) {
    const path = request.url.slice(request.url.indexOf('/', 8));
    const { headers } = request;
    for (const name of hopByHop) headers.delete(name);
    const answer = await fetch(upstream + path, {
      method: request.method,
      headers,
      body: request.method === 'POST' ? await request.arrayBuffer() : undefined,
      redirect: 'manual',
      signal: request.signal,
    });
    for (const name of hopByHop) answer.headers.delete(name);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  },
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
