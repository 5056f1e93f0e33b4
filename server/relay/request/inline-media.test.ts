import { describe, expect, test } from 'bun:test';
import type { CanonicalRequest } from '#server/models/formats/canonical.ts';
import { codecs } from '#server/models/formats/index.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { inlineMedia } from './inline-media.ts';

function requestWith(...urls: string[]): CanonicalRequest {
  const content = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  const request = codecs['openai-chat']?.decodeRequest(
    { model: 'm', messages: [{ role: 'user', content }] },
    [],
  );
  if (request === undefined) throw new Error('no codec');
  return request;
}

const png = () => Promise.resolve(new Response('pixels', { headers: { 'Content-Type': 'image/png; x=1' } }));

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  return error instanceof RelayError ? `${error.code} ${String(error.parameters['detail'])}` : String(error);
}

describe('content for upstreams that take no addresses', () => {
  test('an address becomes its content; content stays as it is and is not fetched', async () => {
    const asked: string[] = [];
    const request = requestWith('https://x.example/1.png', 'data:image/png;base64,AAAA');
    const fetch = (url: string) => {
      asked.push(url);
      return png();
    };
    expect(await inlineMedia(request, fetch)).toBe(true);
    expect(asked).toEqual(['https://x.example/1.png']);
    expect(request.messages[0]?.content).toMatchObject([
      { type: 'image', mediaType: 'image/png', data: Buffer.from('pixels').toString('base64') },
      { type: 'image', data: 'AAAA' },
    ]);
    expect(request.messages[0]?.content[0]).not.toHaveProperty('url');
    expect(await inlineMedia(request, fetch)).toBe(false);
  });

  test('what cannot be read, is no picture or too much is refused, without saying why an address failed', async () => {
    const inline = (fetch: () => Promise<Response>, count = 1) =>
      refusalOf(inlineMedia(requestWith(...Array<string>(count).fill('https://x.example/')), fetch));
    expect(await inline(() => Promise.reject(new Error('connect 10.0.0.1 refused')))).toBe(
      'invalid_body an address could not be read',
    );
    expect(await inline(() => Promise.resolve(new Response('', { status: 302 })))).toBe(
      'invalid_body an address could not be read',
    );
    expect(await inline(() => Promise.resolve(Response.json({})))).toBe(
      'invalid_body an address is no picture and no document',
    );
    expect(await inline(png, 21)).toBe('invalid_body more than 20 addresses');
  });

  test('an address inside the network is never read', async () => {
    const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'] });
    let calls = 0;
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(String((calls += 1))),
    });
    const urls = [
      `http://127.0.0.1:${server.port}/1.png`,
      'http://127.0.0.1/1.png',
      'http://169.254.169.254/x.png',
    ];
    for (const url of urls) {
      const said = await refusalOf(inlineMedia(requestWith(url), (each) => egress.fetch('user', each)));
      expect(said).toBe('invalid_body an address could not be read');
    }
    expect(calls).toBe(0);
    egress.close();
    await server.stop(true);
  });
});
