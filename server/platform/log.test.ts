import { describe, expect, test } from 'bun:test';
import { createLog, type LogLevel } from './log.ts';

function scene(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = createLog({ level, write: (line) => lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('log', () => {
  test('a line is one JSON object with time, level and message', () => {
    const { log, last } = scene();
    log.child({ request_id: 'r1' }).warn('something', { count: 3 });
    expect(last()).toMatchObject({ level: 'warn', message: 'something', request_id: 'r1', count: 3 });
    expect(Date.parse(String(last()['time']))).toBeGreaterThan(0);
  });

  test('levels below the least are not written', () => {
    const { log, lines } = scene('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines).toHaveLength(2);
  });

  test('line breaks, control characters and quotes cannot forge a second line', () => {
    const { log, lines } = scene();
    log.info('a\n{"level":"error"}\r\u0000\u001B[31m\u009B31m\u2028"');
    expect(lines[0]).not.toMatch(/\p{Cc}/u);
  });

  test.each([
    'password',
    'Authorization',
    'cookie',
    'api_key',
    'key',
    'token',
    'access_token',
    'client_secret',
  ])('the value of %s is taken out at any depth', (name) => {
    const { log, lines } = scene();
    log.info('x', { [name]: 'hush-hush', deep: [{ [name]: { inner: 'hush-hush' } }] });
    expect(lines[0]).not.toContain('hush-hush');
    expect(lines[0]).toContain('[redacted]');
  });

  test('ids and counts that merely sound alike stay', () => {
    const { log, last } = scene();
    log.info('x', { token_id: 5, prompt_tokens: 7 });
    expect(last()).toMatchObject({ token_id: 5, prompt_tokens: 7 });
  });

  test('API keys and bearer values are taken out of any text', () => {
    const { log, lines } = scene();
    log.error(`upstream said: bad key sk-abcdefgh${'X'.repeat(40)}`, { header: 'Bearer abcdefghijklmnop' });
    expect(lines[0]).toContain('sk-abcdefgh[redacted]');
    expect(lines[0]).not.toContain('XXXX');
    expect(lines[0]).not.toContain('abcdefghijklmnop');
  });

  test('a registered secret never appears, also with characters JSON escapes', () => {
    const { log, lines } = scene();
    log.registerSecret('pa"ss\\word-1');
    log.registerSecret('short');
    log.info('it is pa"ss\\word-1', { url: 'postgres://u:pa"ss\\word-1@h', word: 'short' });
    expect(lines[0]).not.toContain('ss\\\\word');
    expect(lines[0]).toContain('"short"');
  });

  test('N24: an error is written with its code and its cause, and a cycle does not stop the log', () => {
    const { log, last, lines } = scene();
    log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) });
    expect(last()['error']).toMatchObject({ message: 'outer', cause: { message: 'inner' } });
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    log.error('failed', { error: new Error('outer', { cause: refused }), code: 'of a sign-in' });
    expect(last()).toMatchObject({ error: { cause: { error_code: 'ECONNREFUSED' } }, code: '[redacted]' });
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    log.error('cycle', { cycle });
    expect(lines.at(-1)).toContain('cycle');
  });
});
