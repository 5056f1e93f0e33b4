// Programs of Debian that some tests need beside the gateway.
import { existsSync } from 'node:fs';

export interface DebianProgram {
  /** As apt-get names it. */
  package: string;
  binary: string;
  /** The unit that Debian starts after an installation. Stopped again: a test starts the program itself. */
  service: string;
}

/** Installs what is missing when the tests run as root. Returns why something is still missing, undefined when nothing is. */
export function installFromDebian(programs: readonly DebianProgram[]): string | undefined {
  const missing = programs.filter(({ binary }) => !existsSync(binary));
  if (missing.length === 0) return undefined;
  const names = missing.map((program) => program.package);
  if (process.getuid?.() !== 0) return `${names.join(', ')} not installed, and the tests do not run as root`;
  if (Bun.which('apt-get') === null) return `${names.join(', ')} not installed, and this is no Debian`;
  const { stderr } = Bun.spawnSync(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    timeout: 300_000,
  });
  if (existsSync('/run/systemd/system'))
    Bun.spawnSync(['systemctl', 'disable', '--now', ...missing.map(({ service }) => service)]);
  return missing.every(({ binary }) => existsSync(binary))
    ? undefined
    : `${names.join(', ')} could not be installed: ${stderr.toString().trim().split('\n').at(-1)}`;
}
