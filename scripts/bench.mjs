// npm run bench: see tests/bench/main.ts; with --logs, --reports, --size, --pages, --capacity, --budgets, --hedge, --cache or --other see the program of that name below.
// More than 256 simultaneous upstream calls need Bun's limit raised before it starts, so the variable is set here and inherited
// by every process of the bench.
import { spawn } from 'node:child_process';
import { ensureInstalled, main } from './install.mjs';
import { bun, bunEnvironment, inRoot, keepOutputForResult, root } from './project.mjs';
import { ensureServer } from './server.mjs';

const programs = {
  logs: 'logs/main.ts',
  reports: 'logs/reports.ts',
  size: 'size/main.ts',
  pages: 'size/pages.ts',
  capacity: 'capacity/main.ts',
  budgets: 'budgets.ts',
  hedge: 'hedge.ts',
  cache: 'cache.ts',
  other: 'other.ts',
};

const help = `npm run bench -- [options]: the gateway against a bare proxy, each in its own process, measured in turns

  --short                 a tenth of the calls: minutes instead of half an hour
  --targets=LIST          of proxy, sqlite, postgres, proxy-tls, sqlite-tls, peer (default: all but peer)
  --streams               5,000 slow streams at once instead of calls
  --aborts                callers that leave in mid stream
  --memory                memory under a mix of calls: --minutes=60 (--short: half a minute)
  --json                  the result as one line on standard output; progress goes to standard error
  --output=FOLDER         where the figures are kept (default: test-results/bench)

  Another gateway in the same run, set up with the bench's upstream (http://127.0.0.1:9901/v1, model gpt-4o-mini, any key):
  --targets=proxy,sqlite,peer --upstream-port=9901 --peer=http://127.0.0.1:4000 --peer-key=KEY --peer-pid=PROCESS

  Other programs, with options of their own (see the head of the file):
${Object.entries(programs)
  .map(([name, file]) => `  --${name}`.padEnd(26) + `tests/bench/${file}`)
  .join('\n')}
`;

await main(async () => {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help);
    return;
  }
  if (args.includes('--json')) keepOutputForResult();
  await ensureInstalled({ dev: true });
  const asked = Object.keys(programs).find((name) => args.some((arg) => arg.split('=')[0] === `--${name}`));
  const program = inRoot('tests', 'bench', asked === undefined ? 'main.ts' : programs[asked]);
  const env = bunEnvironment({ BUN_CONFIG_MAX_HTTP_REQUESTS: '20000' });
  // As operators run it. Two checkouts are compared as they are.
  if (asked !== 'other') env.SERVER_FOR_TESTS = await ensureServer();
  const bench = spawn(bun, [program, ...args], { cwd: root, stdio: 'inherit', env });
  bench.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
});
