// A fake human-check provider: its tokens are valid once, for a caller with the secret.

export interface HumanCheckServer {
  url: string;
  /** The fields of each verification request. */
  asked: Record<string, string>[];
  /** A token as the widget gives it after a passed check. */
  solve(): string;
  close(): void;
}

export function startHumanCheckServer(secret: string): HumanCheckServer {
  const asked: Record<string, string>[] = [];
  const open = new Set<string>();
  let count = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method !== 'POST' || new URL(request.url).pathname !== '/turnstile/v0/siteverify')
        return new Response('not found', { status: 404 });
      const form = Object.fromEntries(new URLSearchParams(await request.text()));
      asked.push(form);
      if (form['response'] === 'broken') return new Response('<html>', { status: 502 });
      if (form['secret'] !== secret)
        return Response.json({ success: false, 'error-codes': ['invalid-input-secret'] });
      const success = open.delete(form['response'] ?? '');
      return Response.json({ success, 'error-codes': success ? [] : ['timeout-or-duplicate'] });
    },
  });
  return {
    url: server.url.origin,
    asked,
    solve() {
      count += 1;
      const token = `human-${count}`;
      open.add(token);
      return token;
    },
    close: () => void server.stop(true),
  };
}
