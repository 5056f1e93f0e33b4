// The runtime reads its settings only when a process starts. Scripts set them; the one-file executable is started by others, and
// becomes itself again with them.

/** Does not return if a setting is missing and this process is to be a server. What the operator has set stays. */
export function startWith(settings: Readonly<Record<string, string>>): void {
  const args = process.argv.slice(2);
  const isMissing = Object.keys(settings).some((name) => process.env[name] === undefined);
  if (args[0] !== 'start' || !isMissing) return;
  process.execve?.(process.execPath, [process.execPath, ...args], { ...settings, ...process.env });
}
