// Runs the marked tests of one file and reads their results and the faults they saw.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { markPattern, rowsMarkedIn } from './marks.ts';
import type { FileResult, TestResult } from './judge.ts';

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decode = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);

/** The marked tests of a JUnit report; the mark may stand in the title of a group. */
export function readTests(xml: string, file: string): TestResult[] {
  return [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].flatMap(
    ([, attributes = '', body = '']) => {
      const attribute = (name: string) =>
        decode(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
      const title = `${attribute('classname')} ${attribute('name')}`.trim();
      const rows = rowsMarkedIn(title, file);
      if (rows.length === 0) return [];
      const outcome = body.includes('<skipped') ? 'skipped' : body.trim() === '' ? 'passed' : 'failed';
      return [{ title, rows, outcome } satisfies TestResult];
    },
  );
}

export function readSeen(text: string): FileResult['seen'] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FileResult['seen'][number]);
}

/** Resolves when the program has ended; after the limit its process group is killed. */
function runProgram(args: string[], env: Record<string, string>, limitSeconds: number) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
    const endGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const limit = setTimeout(() => {
      chunks.push(`\nended after ${limitSeconds} s\n`);
      endGroup();
    }, limitSeconds * 1000);
    process.once('exit', endGroup);
    // Processes that the test left behind may hold the output open.
    child.on('exit', () => setTimeout(endGroup, 2000).unref());
    child.on('close', (code) => {
      clearTimeout(limit);
      process.removeListener('exit', endGroup);
      resolve({ code: code ?? 1, output: chunks.join('') });
    });
  });
}

export async function runMarkedTests(
  file: string,
  env: Record<string, string>,
  limitSeconds: number,
): Promise<FileResult & { output: string }> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-faults-'));
  const report = path.join(scratch, 'report.xml');
  const seen = path.join(scratch, 'seen.jsonl');
  const { code, output } = await runProgram(
    [
      'test',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      `--timeout=${limitSeconds * 1000}`,
      '-t',
      markPattern,
      `./${file}`,
    ],
    { NODE_ENV: 'test', ...env, FAULT_RESULTS: seen },
    limitSeconds,
  );
  const read = (name: string) => (existsSync(name) ? readFileSync(name, 'utf8') : '');
  const result = {
    file,
    tests: readTests(read(report), file),
    seen: readSeen(read(seen)),
    crashed: code !== 0,
    output,
  };
  rmSync(scratch, { recursive: true, force: true });
  return result;
}
