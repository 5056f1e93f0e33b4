import { expect, test } from 'bun:test';
import { clock } from './clock.ts';
import { isOwnAddress, shownAddress } from './own-address.ts';
import { peaksOf } from './waveform.ts';

test('own files are loaded from the host of the page, others from where they are', () => {
  expect(shownAddress('https://api.example/media/1/audio-0?key=a')).toBe('/media/1/audio-0?key=a');
  expect(shownAddress('https://api.example/mj/image/1?key=a')).toBe('/mj/image/1?key=a');
  expect(shownAddress('https://cdn.example/song.mp3')).toBe('https://cdn.example/song.mp3');
  expect([isOwnAddress('https://a.example/media/1/x'), isOwnAddress('https://a.example/x')]).toEqual([
    true,
    false,
  ]);
});

test('the bars show the loudest sample of each part, relative to the loudest of all', () => {
  const samples = Float32Array.from([0, 0.1, -0.5, 0.2, 0.25, 0, 0, 0]);
  expect(peaksOf(samples, 4).map((peak) => Number(peak.toFixed(2)))).toEqual([0.2, 1, 0.5, 0]);
  expect(peaksOf(new Float32Array(8), 2)).toEqual([0, 0]);
});

test('times are minutes and seconds, hours only when there are some', () => {
  expect([0, 9.6, 61, 3725].map(clock)).toEqual(['0:00', '0:09', '1:01', '1:02:05']);
  expect(clock(Number.NaN)).toBe('0:00');
});
