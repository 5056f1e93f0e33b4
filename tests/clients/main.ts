// `npm run test:clients`: the real Claude Code, Codex, Gemini CLI, opencode (npm) and aider (PyPI) against the gateway with the mock
// upstream, set up as the Connect wizard says, in a network namespace with the loopback interface alone (scripts/clients.mjs). Options: `--update` (install the newest versions again), `--only <program>`, `--verbose`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { startFence, type Fence } from './fence.ts';
import { runClient } from './home.ts';
import { prepare, unpack } from './install.ts';
import { programs, type Program } from './programs.ts';
import { answersSince, bookFaults, positionOf, startScene, upstreams, type Scene } from './scene.ts';

const counts = { passed: 0, failed: 0 };
const say = (line: string) => void process.stdout.write(`${line}\n`);
const option = (name: string) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const isVerbose = process.argv.includes('--verbose');
const randomWord = () => crypto.randomUUID().slice(0, 8);

interface Place {
  scene: Scene;
  fence: Fence;
  binaries: string;
  folder: string;
}

interface Trial {
  program: Program;
  upstream: (typeof upstreams)[number];
  what: string;
  prompt: string;
  /** Printed by the client, or written into the file. */
  expected: string;
  file?: string;
}

async function attempt({ scene, fence, binaries, folder }: Place, trial: Trial): Promise<void> {
  const { program, upstream, what, prompt, expected, file } = trial;
  const position = await positionOf(scene);
  const { url } = scene.application;
  const connection = {
    key: scene.key,
    host: url,
    model: upstream.model,
    siteName: 'Tollgate',
    system: 'posix',
  } as const;
  const startedAt = performance.now();
  const { code, output } = await runClient(program, connection, {
    home: folder,
    binaries,
    prompt,
    variables: fence.variables,
  });
  const answers = answersSince(scene, position);
  const faults = await bookFaults(scene, position);
  if (code !== 0) faults.push(`exit code ${code}`);
  const result = file === undefined ? output : readFileSync(file, 'utf8');
  if (!result.includes(expected))
    faults.push(`the answer was not ${file ? 'written' : 'printed'}: ${expected}`);
  if (!answers.some(({ stream }) => stream)) faults.push('no answer was streamed');
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const title = `${program.binary} on ${upstream.name}: ${what} (${seconds} s, ${answers.length} answers)`;
  say(`${faults.length === 0 ? '✓' : '✗'} ${title}`);
  for (const fault of faults) say(`    ${fault}`);
  if (faults.length > 0 || isVerbose) say(output.trimEnd().slice(-3000).replaceAll(/^/gm, '    | '));
  counts[faults.length === 0 ? 'passed' : 'failed'] += 1;
}

async function tryProgram(
  { scene, fence }: Pick<Place, 'scene' | 'fence'>,
  program: Program,
  binaries: string,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), `tollgate-${program.binary}-`));
  const note = path.join(folder, 'work', 'note.txt');
  mkdirSync(path.dirname(note));
  writeFileSync(note, '');
  const place = { scene, fence, binaries, folder };
  try {
    for (const upstream of upstreams) {
      const word = `plain-${randomWord()}`;
      const position = await positionOf(scene);
      let stop = scene.mock.behave({ text: `The word is ${word}.` });
      const plain = { program, upstream, what: 'a plain answer', prompt: 'Which word is it?' };
      await attempt(place, { ...plain, expected: word });
      stop();
      const secret = `secret-${randomWord()}`;
      const { readNote, writeNote } = program;
      if (writeNote !== undefined) {
        stop = scene.mock.behave({ text: writeNote(secret) });
        const edit = {
          program,
          upstream,
          what: 'an edit of a file',
          prompt: 'Write the word into the note.',
        };
        await attempt(place, { ...edit, expected: secret, file: note });
        stop();
      }
      if (readNote === undefined) continue;
      const offered = JSON.stringify(answersSince(scene, position).map(({ body }) => body));
      const call = readNote(note).find(({ name }) => offered.includes(`"name":"${name}"`));
      if (call === undefined) {
        say(`✗ ${program.binary} on ${upstream.name}: offers none of the tools known here`);
        counts.failed += 1;
        continue;
      }
      writeFileSync(note, `${secret}\n`);
      const search = { pattern: 'secret-[0-9a-f]{8}', calls: [call] };
      stop = scene.mock.behave({ reasoning: 'I read the note.', text: 'The note says ', search });
      const tool = { program, upstream, what: `a call of ${call.name}`, prompt: 'What does the note say?' };
      await attempt(place, { ...tool, expected: `The note says ${secret}` });
      stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const only = option('--only');
const wanted = programs.filter(({ binary }) => only === undefined || binary === only);
if (process.argv.includes('--install')) {
  for (const program of wanted) {
    const reason = await unpack(program, process.argv.includes('--update'));
    if (reason !== undefined) say(`${program.binary}: ${reason}`);
  }
  process.exit(0);
}
const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo');
if (others.length > 0) {
  say(`The clients run only where there is no network; this machine has ${others.join(', ')}.`);
  process.exit(1);
}
const scene = await startScene();
const fence = await startFence();
for (const program of wanted) {
  const found = await prepare(program);
  if ('reason' in found) {
    say(`skipped: ${program.binary}: ${found.reason}`);
    continue;
  }
  say(`${program.package} ${found.version}`);
  await tryProgram({ scene, fence }, program, found.binaries);
}
await scene[Symbol.asyncDispose]();
for (const [address, times] of fence.refused)
  say(`not reached, asked for by a client: ${address} (${times} times)`);
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 ? 0 : 1);
