// `npm run build`, `npm run chart`, `npm run format` and `npm run requirements`: a tool of the project, installed first where it is missing.
import { spawn } from 'node:child_process';
import { ensureInstalled, main } from './install.mjs';
import { binary, bun, bunEnvironment, inRoot, root } from './project.mjs';

const tools = {
  // Vite requires a newer Node than this project, so Bun runs it.
  build: { dev: false, command: bun, args: ['--bun', binary('vite'), 'build'] },
  chart: { dev: true, command: bun, args: [inRoot('scripts', 'chart.ts')] },
  format: { dev: true, command: binary('oxfmt'), args: [] },
  requirements: { dev: false, command: bun, args: [inRoot('scripts', 'requirements.ts')] },
};

await main(async () => {
  const [name, ...rest] = process.argv.slice(2);
  const { dev, command, args } = tools[name];
  await ensureInstalled({ dev });
  const child = spawn(command, [...args, ...rest], { cwd: root, stdio: 'inherit', env: bunEnvironment() });
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
});
