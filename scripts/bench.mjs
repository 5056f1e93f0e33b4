// npm run bench: see tests/bench/main.ts; with --logs, --reports, --size or --capacity see the program of that name below.
// More than 256 simultaneous upstream calls need Bun's limit raised before it starts, so the variable is set here and inherited
// by every process of the bench.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const programs = {
  logs: 'logs/main.ts',
  reports: 'logs/reports.ts',
  size: 'size/main.ts',
  capacity: 'capacity/main.ts',
};
const asked = Object.keys(programs).find((name) => process.argv.includes(`--${name}`));
const program = asked === undefined ? 'main.ts' : programs[asked];
const bench = spawn(
  join(root, 'node_modules', '.bin', 'bun'),
  [join(root, 'tests', 'bench', program), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '20000' } },
);
bench.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
