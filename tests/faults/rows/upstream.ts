import { plan, type Section } from '#tests/faults/plan.ts';

export const upstream: Section = {
  title: 'Upstream',
  faults: [
    plan(
      'U1',
      'the upstream stalls before its headers, before the first token, in between',
      'each phase has its time limit; released or charged in part; the channel is marked',
    ),
    plan(
      'U2',
      'the upstream’s connection is reset at a random byte',
      'a clean error event, or another attempt when nothing was sent; every unit is accounted for',
    ),
    plan('U3', 'the upstream vanishes without closing its connection', 'the idle limit frees the connection'),
    plan(
      'U4',
      'a stream in slices of one byte, with CRLF, CR, BOM, comments, data over several lines, no last line end',
      'the same output and usage as whole',
    ),
    plan(
      'U5',
      'malformed JSON in an event, and one line of 50 MB',
      'lines are limited; an error event; memory stays bounded',
    ),
    plan('U6', 'a stream without end', 'limited in time and bytes, then settled'),
    plan('U7', 'keep-alive comments beside a slow stream in parts', 'never inside an event'),
    plan(
      'U8',
      'a small compressed answer that unpacks to 500 MB, or many encodings',
      'no compression is asked for; otherwise limited',
    ),
    plan('U9', 'the upstream redirects to an internal address', 'not followed; the key is not sent'),
    plan(
      'U10',
      'very many headers, line breaks, Set-Cookie and connection headers from the upstream',
      'only the allowed headers reach the caller',
    ),
    plan(
      'U11',
      'every channel answers 429 or 5xx',
      'attempts are limited; failing channels are left alone for a time',
    ),
    plan(
      'U12',
      'a prompt makes the upstream’s error contain a word that disables channels',
      'text of the caller alone disables no channel',
    ),
    plan('U13', 'the upstream has a bad TLS certificate', 'refused by default'),
    plan(
      'U14',
      'thousands of calls wait on one slow channel',
      'the channel has a limit; other channels serve',
    ),
  ],
};
