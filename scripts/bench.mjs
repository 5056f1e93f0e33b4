// npm run bench: see tests/bench/main.ts; with --logs see tests/bench/logs/main.ts,
// with --size tests/bench/size/main.ts. More than 256 simultaneous upstream calls need Bun's limit raised before it
// starts, so the variable is set here and inherited by every process of the bench.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = ['logs', 'size'].find((name) => process.argv.includes(`--${name}`)) ?? '';
const program = join(folder, 'main.ts');
const bench = spawn(
  join(root, 'node_modules', '.bin', 'bun'),
  [join(root, 'tests', 'bench', program), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '20000' } },
);
bench.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
