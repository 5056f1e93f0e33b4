import { plan, type Section } from '#tests/faults/plan.ts';

export const callers: Section = {
  title: 'Callers and load',
  faults: [
    plan(
      'D1',
      '2,000 connections send headers or bodies slowly',
      'closed after the limits; other calls are not affected',
    ),
    plan(
      'D2',
      '1,000 callers read one byte per second',
      'memory stays bounded; the upstream is paused; closed after the write limit and settled',
    ),
    plan('D3', 'callers vanish without closing their connection', 'closed by the idle limit and settled'),
    plan('D4', 'a constant load for a long time', 'no failures; little added latency; memory does not grow'),
    plan(
      'D5',
      '10,000 streams at once over two processes',
      'all complete; memory and event loop delay stay small',
    ),
    plan(
      'D6',
      'five times the load that one node serves',
      'refused quickly with Retry-After; admitted calls are in time; it recovers',
    ),
    plan(
      'D7',
      'a body of 100 MB, an endless one, a wrong Content-Length',
      '413 while reading; memory stays bounded; the connection is closed',
    ),
    plan(
      'D8',
      'compressed request bodies that unpack to very much, nested or unknown encodings',
      'limited after unpacking; an unknown encoding gets 415',
    ),
    plan(
      'D9',
      'very many streams that callers abort',
      'memory and file descriptors return to where they were',
    ),
    plan(
      'D10',
      'JSON five million levels deep, a million keys, `__proto__`, two `model` keys',
      'refused; no crash; what is priced is what is sent',
    ),
    plan('D11', 'random and damaged JSON bodies', 'no 500; no hang'),
    plan(
      'D12',
      'model names of 1 MB, with control characters or paths',
      'refused; no new metric label; no growth of log columns',
    ),
    plan('D13', '100,000 sensitive words and a prompt of 1 MB', 'the time is linear'),
    plan('D14', '1 MB of one letter or of emoji for the token counter', 'the time is bounded'),
    plan(
      'D15',
      'wildcards, deep pages, year-long ranges and huge pages on every list and search',
      'answered within a second or refused; calls are served',
    ),
    plan('D16', 'multipart boundaries and parts in floods', 'linear time; boundary and parts are limited'),
    plan(
      'D17',
      'request smuggling: two lengths, length and chunks, folded headers, bare LF, absolute form, Upgrade',
      '400; the connection is closed',
    ),
    plan('D18', 'a forged X-Forwarded-For', 'only listed proxies are believed; limits use the real address'),
  ],
};
