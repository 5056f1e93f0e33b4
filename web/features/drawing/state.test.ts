import { describe, expect, test } from 'bun:test';
import { DRAWING_STATUSES, SUBMIT_CODE, type DrawingView } from '#contract/relay/drawing.ts';
import { drawingRange } from './range.ts';
import { codeName, durationOf, isSlow, statusOf } from './state.ts';

const drawing = (change: Partial<DrawingView>) => change as DrawingView;

describe('a drawing', () => {
  test('REL-9.17 the range is the past 30 days up to one hour ahead', () => {
    const now = 1_800_000_000;
    expect(drawingRange({}, now)).toEqual({ from: now - 30 * 86_400, to: now + 3600 });
    expect(drawingRange({ from: 5, to: 9 }, now)).toEqual({ from: 5, to: 9 });
  });

  test('REL-9.16 takes long above 60 seconds, and no time while it runs', () => {
    expect(durationOf(drawing({ submit_time: 1000, finish_time: 61_001 }))).toBe(60.001);
    expect([isSlow(60), isSlow(60.001)]).toEqual([false, true]);
    expect(durationOf(drawing({ submit_time: 1000, finish_time: 0 }))).toBeUndefined();
  });

  test('every state has its icon, and an unknown one is not taken for another', () => {
    const kinds = DRAWING_STATUSES.map((status) => statusOf(drawing({ status })).kind);
    expect(new Set(kinds).size).toBe(DRAWING_STATUSES.length);
    expect(statusOf(drawing({ status: 'PAUSED' })).name).toBe('UNKNOWN');
  });

  test('codes of a submission have names, others are refusals', () => {
    expect(Object.values(SUBMIT_CODE).map(codeName)).toEqual(['none', 'submitted', 'waiting', 'duplicate']);
    expect(codeName(24)).toBe('refused');
  });
});
