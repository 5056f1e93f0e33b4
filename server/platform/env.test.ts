import { describe, expect, test } from 'bun:test';
import { EnvironmentError, environmentSchema, readEnvironment } from './env.ts';

const refusal = (variables: Record<string, string>) => {
  try {
    readEnvironment(variables);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message;
    throw error;
  }
  return null;
};

describe('environment', () => {
  test('nothing set gives the documented defaults', () => {
    expect(readEnvironment({})).toEqual({
      port: 3000,
      host: '0.0.0.0',
      dataDir: './data',
      databaseUrl: undefined,
      initialRootPassword: undefined,
      masterKey: undefined,
      certificateFiles: undefined,
      trustedProxies: [],
      allowedPrivateAddresses: [],
      allowedHosts: [],
      logLevel: 'info',
      channelTestFrequency: 0,
      taskPollSeconds: 5,
      drainSeconds: 30,
      workers: 1,
      telemetry: { token: undefined, addresses: [], otlp: undefined },
    });
  });

  test('A3: the password of the first super admin may not be a common one', () => {
    for (const password of ['12345678', 'PASSWORD123', 'root1234'])
      expect(refusal({ INITIAL_ROOT_PASSWORD: password })).toContain('INITIAL_ROOT_PASSWORD: must be');
    expect(refusal({ INITIAL_ROOT_PASSWORD: 'a-long-sentence-of-mine' })).toBeNull();
  });

  test('a variable that is set but empty counts as unset', () => {
    expect(readEnvironment({ PORT: '', DATABASE_URL: '  ', LOG_LEVEL: '' })).toEqual(readEnvironment({}));
  });

  test('good values are read', () => {
    const read = readEnvironment({
      PORT: '8080',
      DATABASE_URL: 'postgresql://user:pass@db:5432/tollgate',
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32 ,127.0.0.1',
      WORKERS: '4',
    });
    expect(read).toMatchObject({
      port: 8080,
      workers: 4,
      trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'],
    });
  });

  test('every wrong variable is named at once, and no value is repeated', () => {
    const message = refusal({ PORT: 'x', MASTER_KEY: 'do-not-print-me', LOG_LEVEL: 'loud' }) ?? '';
    expect(message.split('\n').map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'MASTER_KEY',
      'LOG_LEVEL',
    ]);
    expect(message).not.toContain('do-not-print-me');
  });

  test('a bad value of every variable is one line that names it and says what it must be (N35)', () => {
    const free = new Set(['DATA_DIR', 'TLS_CERT', 'TLS_KEY', 'OTEL_SERVICE_NAME']);
    const bad: Record<string, string> = { INITIAL_ROOT_PASSWORD: 'short', METRICS_TOKEN: 'short' };
    for (const name of Object.keys(environmentSchema.shape).filter((each) => !free.has(each))) {
      const message = refusal({ [name]: bad[name] ?? 'not valid!' }) ?? 'accepted';
      expect([name, message]).toEqual([
        name,
        expect.stringMatching(new RegExp(`^${name}: must be [^\\n]+$`)),
      ]);
      expect(message).not.toMatch(/not valid!|must be \S+ is not/);
    }
    for (const [name, value] of [
      ['PORT', '65536'],
      ['PORT', '-1'],
      ['TRUSTED_PROXIES', '10.0.0.0/33'],
      ['DATABASE_URL', 'mysql://host/db'],
      ['WORKERS', '0'],
    ] as const)
      expect([value, refusal({ [name]: value })]).toEqual([
        value,
        expect.stringContaining(`${name}: must be`),
      ]);
    expect(refusal({ TRUSTED_PROXIES: '10.0.0.1,foo' })).toBe(
      'TRUSTED_PROXIES: must be a comma list of IP addresses or CIDR blocks; entry 2 is none',
    );
  });

  test('several workers need PostgreSQL', () => {
    expect(refusal({ WORKERS: '2' })).toContain('WORKERS: more than 1 needs DATABASE_URL');
    expect(refusal({ WORKERS: '2', DATABASE_URL: 'postgres://h/d' })).toBeNull();
  });

  test('a certificate needs its key', () => {
    expect(refusal({ TLS_CERT: 'chain.pem' })).toBe('TLS_CERT, TLS_KEY: both are needed, or none');
    expect(readEnvironment({ TLS_CERT: 'chain.pem', TLS_KEY: 'key.pem' }).certificateFiles).toEqual({
      certificate: 'chain.pem',
      key: 'key.pem',
    });
  });

  test('every variable has a description for the help text and the README', () => {
    for (const [name, schema] of Object.entries(environmentSchema.shape))
      expect([name, (schema.description ?? '').length > 20]).toEqual([name, true]);
  });
});
