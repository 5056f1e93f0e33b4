// `npm run test:scim`: the conformance tests of scim2-tester (PyPI) against this server; see tests/scim/. Not part of `npm test`, because
// it needs Python and installs packages. SCIM_PYTHON names a Python that has them. Without Python, or where they cannot be
// installed, it says so and proves nothing.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ensureInstalled, main } from './install.mjs';
import { bun, bunEnvironment, inRoot, root, say } from './project.mjs';

const PACKAGES = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2'];
const folder = inRoot('node_modules', '.cache', 'scim-tester');

await main(async () => {
  await ensureInstalled({ dev: true });
  const python = process.env.SCIM_PYTHON ?? (await preparePython());
  if (python === undefined) return;
  const environment = { ...bunEnvironment(), SCIM_PYTHON: python };
  process.exit(await run(bun, ['test', './tests/scim/outside-tester.ts'], environment));
});

/** Undefined: it was said why not. */
async function preparePython() {
  const python = inRoot('node_modules', '.cache', 'scim-tester', 'bin', 'python');
  const isReady = existsSync(python) && (await run(python, ['-c', 'import scim2_tester, httpx2'])) === 0;
  if (isReady) return python;
  if ((await run('python3', ['-m', 'venv', folder])) !== 0) return skip('there is no python3 with venv');
  if ((await run(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES])) !== 0)
    return skip(`pip could not install ${PACKAGES.join(' and ')}`);
  return python;
}

function skip(why) {
  say(`skipped: ${why}. Nothing was tested.`);
  return undefined;
}

function run(command, args, env = bunEnvironment()) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env });
    child.on('error', () => resolve(1));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
