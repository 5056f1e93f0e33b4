// The process environment, read once at start by one schema; a bad value is refused with the variable's name.
import { isIP } from 'node:net';
import { z } from 'zod';
import { parseRange } from '#contract/ip-address.ts';
import { isPrivateEntry } from '#contract/operating/private-addresses.ts';
import { passwordProblem } from '#contract/admin/passwords.ts';
import { isHostEntry } from '#server/platform/egress/allowed-hosts.ts';
import { PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARACTERS } from '#contract/admin/session.ts';

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `a whole number from ${min} to ${max}`);

const listOf = (isEntry: (entry: string) => boolean, what: string) =>
  z
    .string()
    .default('')
    .transform((value) => value.split(/[\s,]+/).filter(Boolean))
    .superRefine((entries, context) => {
      const at = entries.findIndex((entry) => !isEntry(entry));
      if (at === -1) return;
      // Without the entry: no value of a variable is repeated, it may be a secret in the wrong place.
      const which = entries.length === 1 ? '' : `; entry ${at + 1} is none`;
      context.addIssue({ code: 'custom', message: `a comma list of ${what}${which}` });
    });

const addressList = listOf((range) => !('kind' in parseRange(range)), 'IP addresses or CIDR blocks');
const privateList = listOf(isPrivateEntry, 'IP addresses, CIDR blocks or addresses with a port');
const hostList = listOf(
  isHostEntry,
  'host names, wildcards such as *.example.com, IP addresses or CIDR blocks',
);

/** `name=value` pairs, values percent-encoded, as OpenTelemetry defines the variable. */
const headerList = z
  .string()
  .default('')
  .refine(
    (value) =>
      splitHeaders(value).every(([name, text]) => /^[\w-]+$/.test(name) && decoded(text) !== undefined),
    'a comma list of name=value',
  )
  .transform((value) =>
    Object.fromEntries(splitHeaders(value).map(([name, text]) => [name, decoded(text) ?? ''])),
  );

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function splitHeaders(value: string): [name: string, text: string | undefined][] {
  return value
    .split(',')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [pair, undefined] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
}

const hostToListenOn = z
  .string()
  .refine(
    (value) => isIP(value) !== 0 || (isHostEntry(value) && !/[*/]/.test(value)),
    'an IP address or a host name of this machine',
  );

const postgresUrl = z.string().refine((value) => {
  if (!/^postgres(ql)?:\/\//.test(value)) return false;
  return URL.canParse(value);
}, 'an address of the form postgres://user:password@host:5432/database');

const masterKey = z
  .string()
  .refine(
    (value) => /^[\da-f]{64}$/i.test(value) || Buffer.from(value, 'base64').length === 32,
    '32 bytes as 64 hex digits or as base64',
  );

const password = z
  .string()
  .refine(
    (value) => Array.from(value).length >= PASSWORD_MIN_CHARACTERS,
    `at least ${PASSWORD_MIN_CHARACTERS} characters`,
  )
  .refine((value) => Buffer.byteLength(value) <= PASSWORD_MAX_BYTES, `at most ${PASSWORD_MAX_BYTES} bytes`)
  .refine(
    (value) => passwordProblem(value, 'root') !== 'password_too_common',
    'a password that is not among the most common ones',
  );

export const environmentSchema = z.object({
  PORT: wholeNumber(0, 65_535).default(3000).describe('Port to listen on; 0 takes any free one.'),
  HOST: hostToListenOn.default('0.0.0.0').describe('Address to listen on.'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .describe(
      'Folder of the SQLite database, the master key, the first password and the spool of unbooked calls.',
    ),
  DATABASE_URL: postgresUrl
    .optional()
    .describe('postgres://… to use PostgreSQL instead of SQLite; needed for several processes or machines.'),
  INITIAL_ROOT_PASSWORD: password
    .optional()
    .describe(
      'Password of the super admin `root` made at the first start; without it a random one is printed.',
    ),
  MASTER_KEY: masterKey
    .optional()
    .describe(
      'Key of all secrets in the database, 64 hex digits or base64; without it `<DATA_DIR>/master.key`.',
    ),
  TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe('File with the certificate chain (PEM): the port speaks HTTPS; read again when it changes.'),
  TLS_KEY: z.string().min(1).optional().describe('File with the key of `TLS_CERT` (PEM).'),
  TRUSTED_PROXIES: addressList.describe(
    'Comma-separated list of addresses or CIDR blocks whose X-Forwarded-For and X-Forwarded-Proto are believed.',
  ),
  ALLOWED_PRIVATE_ADDRESSES: privateList.describe(
    'Comma-separated list of private addresses or CIDR blocks that channels and login providers may have, for services in your own network.',
  ),
  EGRESS_ALLOW: hostList.describe(
    'Comma-separated list of the only hosts that any outgoing connection may reach: names, `*.example.com`, addresses, CIDR blocks; without it, all hosts.',
  ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('Lowest level that is logged.'),
  CHANNEL_TEST_FREQUENCY: wholeNumber(0, 10_080)
    .default(0)
    .describe('Minutes between two tests of all channels; 0 tests them only when asked.'),
  TASK_POLL_SECONDS: wholeNumber(1, 600)
    .default(5)
    .describe(
      'Seconds until an upstream is asked about a new task; the wait grows with the age of the task and with failed questions, to a minute (batches: ten).',
    ),
  DRAIN_SECONDS: wholeNumber(0, 3600)
    .default(30)
    .describe(
      'Seconds that running calls get to finish after SIGTERM; what still runs then is cut and charged.',
    ),
  METRICS_TOKEN: z
    .string()
    .min(16, 'at least 16 characters')
    .optional()
    .describe('Bearer token that opens `/metrics` for Prometheus.'),
  METRICS_ADDRESSES: addressList.describe(
    'Comma-separated list of addresses or CIDR blocks that may read `/metrics` without a token.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'an http:// or https:// address')
    .optional()
    .describe('Base address of an OpenTelemetry collector (OTLP over HTTP) that gets traces and metrics.'),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.describe(
    'Comma-separated list of `name=value` headers for the collector.',
  ),
  OTEL_SERVICE_NAME: z.string().min(1).default('tollgate').describe('Name of this service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'a number from 0 to 1')
    .default('1')
    .transform(Number)
    .describe(
      'Part of the calls that are traced, from 0 to 1; a caller that sends a trace decides for itself.',
    ),
  WORKERS: wholeNumber(1, 256)
    .default(1)
    .describe('Processes that share the port; more than 1 needs PostgreSQL.'),
});

/** Names of files in PEM. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface MetricsAccess {
  readonly token: string | undefined;
  readonly addresses: readonly string[];
}

export interface OtlpTarget {
  /** The base address; `/v1/traces` and `/v1/metrics` are added. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of the calls whose caller has not decided, this part is traced; 0 to 1. */
  readonly sampledPart: number;
}

export interface TelemetryOptions extends MetricsAccess {
  readonly otlp: OtlpTarget | undefined;
}

export interface Environment {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  initialRootPassword: string | undefined;
  masterKey: string | undefined;
  /** For HTTPS without a proxy in front. */
  certificateFiles: CertificateFiles | undefined;
  trustedProxies: readonly string[];
  allowedPrivateAddresses: readonly string[];
  /** The only hosts of outgoing connections; none: every host. */
  allowedHosts: readonly string[];
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Minutes; 0: only on request. */
  channelTestFrequency: number;
  /** Between two polls of a running task. */
  taskPollSeconds: number;
  /** For running calls after a signal to stop. */
  drainSeconds: number;
  workers: number;
  telemetry: TelemetryOptions;
}

/** Names the wrong variable and what it must be, never its value, which may be a secret. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}

/** An empty variable counts as unset: compose files and unit files often pass `NAME=`. */
export function readEnvironment(source: Record<string, string | undefined>): Environment {
  const given = Object.fromEntries(
    Object.keys(environmentSchema.shape)
      .map((name) => [name, source[name]?.trim()] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${wanted(issue.message)}`);
    throw new EnvironmentError([...new Set(lines)].join('\n'));
  }
  const values = parsed.data;
  if (values.WORKERS > 1 && values.DATABASE_URL === undefined)
    throw new EnvironmentError('WORKERS: more than 1 needs DATABASE_URL, because SQLite serves one process');
  if ((values.TLS_CERT === undefined) !== (values.TLS_KEY === undefined))
    throw new EnvironmentError('TLS_CERT, TLS_KEY: both are needed, or none');
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    initialRootPassword: values.INITIAL_ROOT_PASSWORD,
    masterKey: values.MASTER_KEY,
    certificateFiles:
      values.TLS_CERT === undefined || values.TLS_KEY === undefined
        ? undefined
        : { certificate: values.TLS_CERT, key: values.TLS_KEY },
    trustedProxies: values.TRUSTED_PROXIES,
    allowedPrivateAddresses: values.ALLOWED_PRIVATE_ADDRESSES,
    allowedHosts: values.EGRESS_ALLOW,
    logLevel: values.LOG_LEVEL,
    channelTestFrequency: values.CHANNEL_TEST_FREQUENCY,
    taskPollSeconds: values.TASK_POLL_SECONDS,
    drainSeconds: values.DRAIN_SECONDS,
    workers: values.WORKERS,
    telemetry: {
      token: values.METRICS_TOKEN,
      addresses: values.METRICS_ADDRESSES,
      otlp:
        values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
          ? undefined
          : {
              endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ''),
              headers: values.OTEL_EXPORTER_OTLP_HEADERS,
              serviceName: values.OTEL_SERVICE_NAME,
              sampledPart: values.OTEL_TRACES_SAMPLER_ARG,
            },
    },
  };
}

function wanted(message: string): string {
  return `must be ${message.replace(/^Invalid\s+(option|input):\s*(expected )?/, '')}`;
}
