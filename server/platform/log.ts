// Structured log: one JSON object per line. Values of secret fields, known secrets and texts that look like an API key are
// masked before a line is written.
import type { Log } from '#contract/context.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const ORDER: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
const SECRET_NAME =
  /password|secret|authorization|cookie|credential|api_?key|access_?token|master_?key|turnstile|^(key|token|code|sid|verification_code)$/i;
const KEY_LIKE = /\b(sk-[A-Za-z0-9_-]{8})[A-Za-z0-9_-]{8,}/g;
const BEARER = /\b(bearer\s+)[^\s"\\]{8,}/gi;
const MASK = '[redacted]';
const LONGEST_TEXT = 8000;
/** Shorter values would mask ordinary words. */
const SHORTEST_SECRET = 8;

export interface RootLog extends Log {
  /** Masks this value in every later line. */
  registerSecret(value: string): void;
}

export interface LogOptions {
  level: LogLevel;
  /** Receives whole lines without the line break. */
  write?: (line: string, level: LogLevel) => void;
}

export function createLog({ level, write = writeToTerminal }: LogOptions): RootLog {
  const secrets = new Set<string>();
  const least = ORDER[level];

  function emit(
    at: LogLevel,
    bound: Record<string, unknown>,
    message: string,
    fields?: Record<string, unknown>,
  ) {
    if (ORDER[at] < least) return;
    const line = { time: new Date().toISOString(), level: at, message, ...bound, ...fields };
    write(withoutSecrets(textOf(line), secrets), at);
  }

  function bind(bound: Record<string, unknown>): Log {
    return {
      debug: (message, fields) => emit('debug', bound, message, fields),
      info: (message, fields) => emit('info', bound, message, fields),
      warn: (message, fields) => emit('warn', bound, message, fields),
      error: (message, fields) => emit('error', bound, message, fields),
      child: (fields) => bind({ ...bound, ...fields }),
    };
  }

  return {
    ...bind({}),
    registerSecret(value) {
      if (value.length < SHORTEST_SECRET) return;
      // In its JSON form, so that a secret with quotes or backslashes is found too.
      secrets.add(JSON.stringify(value).slice(1, -1));
    },
  };
}

/** Fields that cannot be serialised (a cycle, a throwing getter) must not lose the message. */
function textOf(line: { time: string; level: LogLevel; message: string }): string {
  let text: string;
  try {
    text = JSON.stringify(line, replacer);
  } catch (error) {
    const { time, level, message } = line;
    text = JSON.stringify({ time, level, message, unwritable: String(error) });
  }
  // JSON does not escape C1 control characters, which terminals obey.
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function replacer(name: string, value: unknown): unknown {
  if (name !== '' && SECRET_NAME.test(name) && value !== undefined && value !== null) return MASK;
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string' && value.length > LONGEST_TEXT) return `${value.slice(0, LONGEST_TEXT)}…`;
  return value;
}

/** The code of an error (`ECONNREFUSED`) gets another name: a field `code` is a secret of a sign-in and is masked. */
function describeError(error: Error): Record<string, unknown> {
  const { code: error_code } = error as { code?: unknown };
  return { name: error.name, message: error.message, error_code, stack: error.stack, cause: error.cause };
}

function withoutSecrets(line: string, secrets: ReadonlySet<string>): string {
  let clean = line.replaceAll(KEY_LIKE, `$1${MASK}`).replaceAll(BEARER, `$1${MASK}`);
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, MASK);
  return clean;
}

function writeToTerminal(line: string, level: LogLevel): void {
  const stream = ORDER[level] >= ORDER.warn ? process.stderr : process.stdout;
  stream.write(`${line}\n`);
}
