// Programs that run with the configuration a guide gives: the guide's text with the addresses of a test, a port, the start.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startPatience } from './machine.ts';

const GUIDES = fileURLToPath(new URL('../../docs/guides/', import.meta.url));
const START_PATIENCE_MS = 20_000;

/** The guide's block of this language. `changes` replaces texts of the block. */
export function changedExample(
  guide: string,
  language: string,
  changes: Readonly<Record<string, string>>,
): string {
  const page = readFileSync(`${GUIDES}${guide}.md`, 'utf8');
  let text = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`the guide does not say ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Resolves when the proxy passes on an answer of the gateway. `output`: what the proxy wrote, for the error. */
export async function untilAnswered(
  child: Bun.Subprocess,
  url: string,
  output: () => string | Promise<string>,
): Promise<void> {
  const isOver = startPatience(START_PATIENCE_MS);
  for (;;) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer?.ok === true) return;
    if (child.exitCode !== null || isOver()) throw new Error(`the proxy did not start: ${await output()}`);
    await Bun.sleep(50);
  }
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
