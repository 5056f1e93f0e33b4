import { expect, test } from 'bun:test';
import { baseUrl } from './base-url.ts';

test('the configured address wins, without its trailing slash', () => {
  expect(baseUrl('https://gate.example.com/', 'http://10.0.0.5:3000')).toBe('https://gate.example.com/v1');
});

test('without a configured address the origin of the console is used', () => {
  expect(baseUrl('http://localhost:3000', 'http://10.0.0.5:3000')).toBe('http://10.0.0.5:3000/v1');
  expect(baseUrl('http://localhost:8080', 'http://10.0.0.5:8080')).toBe('http://10.0.0.5:8080/v1');
  expect(baseUrl(undefined, 'http://10.0.0.5:3000')).toBe('http://10.0.0.5:3000/v1');
});
