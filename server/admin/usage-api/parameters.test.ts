import { describe, expect, test } from 'bun:test';
import { centsText } from './anthropic.ts';
import { pageOf, WIDTHS } from './buckets.ts';
import { ParameterError, Parameters } from '#server/admin/query-parameters.ts';

const of = (query: string) => new Parameters(new URLSearchParams(query));

describe('parameters', () => {
  test.each([
    'group_by[]=a&group_by[]=b',
    'group_by=a&group_by=b',
    'group_by=a,b',
    'group_by[0]=a&group_by[1]=b',
  ])('a list as %s', (query) => expect(of(query).list('group_by')).toEqual(['a', 'b']));

  test('ids with and without the prefix of either API; anything else is an id of nothing', () => {
    expect(of('ids=proj_12,user-13,14,apikey_15,1 or 1=1,wrkspc_x,-1').ids('ids')).toEqual([
      12, 13, 14, 15, -1, -1, -1,
    ]);
  });

  test.each([
    ['2026-01-02T03:04:05Z', 1_767_323_045],
    ['2026-01-02T03:04:05.999Z', 1_767_323_045],
    ['2026-01-02T04:04:05+01:00', 1_767_323_045],
    ['2026-01-02', 1_767_312_000],
  ])('the time %s', (text, seconds) => {
    expect(of(new URLSearchParams({ at: text }).toString()).time('at')).toBe(seconds);
  });

  test.each([
    'now',
    '2026-13-01T00:00:00Z',
    '1767323045',
    '1800-01-01T00:00:00Z',
    '2026-01-02T03:04:05Z; drop',
  ])('the time %s is refused', (text) =>
    expect(() => of(new URLSearchParams({ at: text }).toString()).time('at')).toThrow(ParameterError),
  );
});

describe('pages', () => {
  const asked = {
    name: 'costs',
    start: 90_000,
    end: undefined,
    seconds: WIDTHS['1d'],
    limits: { usual: 7, most: 31 },
    now: 900_000,
  };

  test('begin at the start of a bucket and reach to the bucket of now', () => {
    const { span, limit } = pageOf(of(''), asked);
    expect([span, limit]).toEqual([{ seconds: 86_400, from: 86_400, to: 950_400 }, 7]);
    expect(pageOf(of(''), { ...asked, start: 10_000_000 }).span).toEqual({
      seconds: 86_400,
      from: 9_936_000,
      to: 9_936_000,
    });
  });

  test('a cursor leads to its bucket, for the same question only', () => {
    const cursor = pageOf(of('models=a'), asked).cursorOf(172_800);
    const page = (query: string, name = 'costs') =>
      pageOf(of(`${query}&page=${cursor}`), { ...asked, name }).span.from;
    expect(page('models=a')).toBe(172_800);
    expect(page('models=a&limit=3')).toBe(172_800);
    expect(() => page('models=b')).toThrow(ParameterError);
    expect(() => page('models=a', 'costs of another')).toThrow(ParameterError);
    const forged = pageOf(of('models=a'), asked).cursorOf(0);
    expect(() => pageOf(of(`models=a&page=${forged}`), asked)).toThrow(ParameterError);
  });
});

test.each([
  [0, '0'],
  [1, '0.0002'],
  [500_000, '100'],
  [123_456_789_012, '24691357.8024'],
])('%p units of quota are %s cents', (quota, cents) => expect(centsText(quota, 500_000)).toBe(cents));
