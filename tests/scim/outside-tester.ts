// The conformance tests of scim2-tester (PyPI) against the application. Run by `npm run test:scim`.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import path from 'node:path';
import { openSignOn, type SignOnScene } from '#tests/integration/admin/sign-on/support.ts';

const DOMAIN = 'conformance.example';
const python = process.env['SCIM_PYTHON'];
const LIMIT_MILLISECONDS = 900_000;
let scene: SignOnScene;

beforeAll(async () => {
  scene = await openSignOn('sqlite');
});
afterAll(() => scene.close());

interface Check {
  status: 'SUCCESS' | 'COMPLIANT' | 'ACCEPTABLE' | 'DEVIATION' | 'ERROR' | 'CRITICAL' | 'SKIPPED';
  title: string;
  resource: string;
  reason: string;
}

test(
  'scim2-tester finds no error',
  async () => {
    if (python === undefined) throw new Error('SCIM_PYTHON is not set: run npm run test:scim');
    const token = await (await scene.organization(DOMAIN)).token();
    const script = path.join(import.meta.dir, 'check.py');
    const run = Bun.spawn([python, script, `${scene.app.url}/scim/v2`, token, DOMAIN], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const text = await new Response(run.stdout).text();
    expect(await run.exited).toBe(0);
    const checks = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Check);
    const counts: Partial<Record<Check['status'], number>> = {};
    for (const { status } of checks) counts[status] = (counts[status] ?? 0) + 1;
    process.stdout.write(`scim2-tester: ${checks.length} checks, ${JSON.stringify(counts)}\n`);
    const faults = checks.filter(
      ({ status }) => status === 'ERROR' || status === 'CRITICAL' || status === 'DEVIATION',
    );
    expect(faults).toEqual([]);
    expect(counts.SUCCESS).toBeGreaterThan(50);
  },
  LIMIT_MILLISECONDS,
);
