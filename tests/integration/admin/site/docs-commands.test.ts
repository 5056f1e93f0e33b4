// Every shell block of the documents runs: calls against one server with a scripted upstream, then the commands on its data.
// A block that cannot run here says why in its info string: ```sh not-run="needs docker".
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Glob } from 'bun';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { startMidjourney, type MidjourneyServer } from '#mock/upstream/midjourney/server.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

const ROOT = path.join(import.meta.dir, '../../../..');
const MAIN = path.join(ROOT, 'server/cli/main.ts');

interface Block {
  name: string;
  code: string;
  /** Why it does not run; undefined for one that does. */
  reason: string | undefined;
  needsStop: boolean;
}

/** The Chinese documents have the same blocks (scripts/docs.test.ts). */
const blocks: Block[] = ['*.md', 'docs/**/*.md', 'packages/*/*.md']
  .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: ROOT })])
  .filter((file) => !file.endsWith('.zh.md'))
  .toSorted()
  .flatMap((file) =>
    [
      ...readFileSync(path.join(ROOT, file), 'utf8').matchAll(
        /^( *)```(?:sh|bash|shell|console)\b([^\n]*)\n([\s\S]*?)^ *```$/gm,
      ),
    ].map(([, indent = '', info = '', text = ''], index) => {
      const code = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
      return {
        name: `${file} block ${index + 1}`,
        code,
        reason: /not-run="([^"]{8,})"/.exec(info)?.[1],
        needsStop: code.includes('tollgate '),
      };
    }),
  );
const running = blocks.filter(({ reason }) => reason === undefined);

let app: TestApplication;
let upstream: MockUpstream;
let drawings: MidjourneyServer;
let folder = '';
let environment: Record<string, string> = {};
let isOpen = true;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-docs-'));
  upstream = startMockUpstream();
  drawings = startMidjourney();
  // The data outlives the server: commands such as `restore` need it stopped.
  const { dataDir } = await temporaryPlace('sqlite');
  app = await startApplication({ place: { dataDir } });
  await addChannel(app.store, { base_url: upstream.url, models: ['gpt-4o-mini'] });
  await addChannel(app.store, {
    base_url: drawings.url,
    key: drawings.secret,
    type: CHANNEL_TYPE.midjourneyProxy,
    models: ['mj_imagine'],
  });
  const reader = await app.actor({ quota: 50_000_000 });
  const [token] = await app.client(reader).tokens.create({ body: { name: 'docs', unlimited_quota: true } });
  const key = `sk-${token?.key}`;
  const submitted = await fetch(`${app.url}/mj/submit/imagine`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ prompt: 'a gate' }),
  });
  const { result } = (await submitted.json()) as { result: string };
  environment = {
    HOME: folder,
    PATH: `${shims()}:${process.env['PATH'] ?? ''}`,
    DATA_DIR: app.dataDir,
    KEY: key,
    ACCESS_TOKEN: await app.client(reader).self.accessToken(),
    ADMIN_KEY: (await app.client(reader).adminKeys.create({ body: { name: 'docs' } })).key,
    USER_ID: String(reader.id),
    TASK: result,
  };
});

afterAll(async () => {
  if (isOpen) await app.close();
  await drawings.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(app.dataDir, { recursive: true, force: true });
});

/** `npx tollgate` is this repository's command, and `curl` fails for an error of HTTP. */
function shims(): string {
  const bin = path.join(folder, 'bin');
  mkdirSync(path.join(folder, 'backups'), { recursive: true });
  mkdirSync(bin);
  const command = (name: string, line: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${line}\n`);
    chmodSync(path.join(bin, name), 0o755);
  };
  command('npx', `[ "$1" = tollgate ] && shift || exit 64\nexec "${process.execPath}" "${MAIN}" "$@"`);
  command('curl', `exec "${Bun.which('curl') ?? 'curl'}" --fail-with-body --silent --show-error "$@"`);
  return bin;
}

async function run(code: string): Promise<{ exit: number; output: string }> {
  const script = code
    .replaceAll('http://localhost:3000', app.url)
    // Each block of exports writes into its own folder, as the command asks.
    .replaceAll(/\/backups\/export(?= |$)/gm, () => path.join(folder, `export-${crypto.randomUUID()}`))
    .replaceAll('/backups/', `${folder}/backups/`);
  const shell = Bun.spawn(['sh', '-eu', '-c', script], {
    cwd: folder,
    env: environment,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ]);
  return { exit: await shell.exited, output: `${output}\n${errors}` };
}

test('a reason not to run is one of the known ones', () => {
  expect(running.length).toBeGreaterThanOrEqual(12);
  const reasons = new Set(blocks.flatMap(({ reason }) => reason ?? []));
  for (const reason of reasons) expect(reason).toMatch(/^(needs|starts|builds|runs|installs) /);
});

test.skipIf(Bun.which('curl') === null).each(running.filter(({ needsStop }) => !needsStop))(
  '$name is answered',
  async ({ code }) => {
    const { exit, output } = await run(code);
    expect(output).not.toContain('"success":false');
    expect([exit, output]).toEqual([0, output]);
  },
);

test('every command runs on the data of a stopped server', async () => {
  await app.close();
  isOpen = false;
  const commands = running.filter(({ needsStop }) => needsStop);
  expect(commands.length).toBeGreaterThanOrEqual(4);
  for (const { name, code } of commands) {
    const { exit, output } = await run(code);
    expect([name, exit, output]).toEqual([name, 0, output]);
  }
});
