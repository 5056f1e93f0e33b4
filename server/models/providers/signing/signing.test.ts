import { describe, expect, test } from 'bun:test';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { signAws } from './aws.ts';
import { hmacToken, rsaToken } from './jwt.ts';
import { signTencent } from './tencent.ts';

describe('signatures', () => {
  const credentials = {
    accessKey: 'AKIDEXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const now = new Date('2015-08-30T12:36:00Z');

  test("AWS: the plain request of Amazon's published examples", () => {
    const request = { method: 'GET', url: new URL('https://example.amazonaws.com/'), body: '' };
    expect(signAws(request, credentials, 'service', now)).toEqual({
      'x-amz-date': '20150830T123600Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    });
  });

  test("AWS: the query sorted by name, as in Amazon's published examples", () => {
    const url = new URL('https://example.amazonaws.com/?Param2=value2&Param1=value1');
    const signed = signAws({ method: 'GET', url, body: '' }, credentials, 'service', now);
    expect(signed['Authorization']).toEndWith(
      'Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    );
  });

  test('AWS: body, path and session change the signature', () => {
    const sign = (path: string, body: string, sessionToken?: string) =>
      signAws(
        { method: 'POST', url: new URL(`https://example.amazonaws.com${path}`), body },
        { ...credentials, ...(sessionToken === undefined ? {} : { sessionToken }) },
        'bedrock',
        now,
      )['Authorization'];
    const all = [
      sign('/a', '1'),
      sign('/a', '2'),
      sign('/b', '1'),
      sign('/a%3A0', '1'),
      sign('/a', '1', 'x'),
    ];
    expect(new Set(all).size).toBe(5);
    expect(all[4]).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token');
  });

  test('Tencent: the scope has day and service, and the body is signed', () => {
    const sign = (body: string) =>
      signTencent(
        { url: new URL('https://hunyuan.tencentcloudapi.com/'), body },
        { secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' },
        'hunyuan',
        new Date(1_551_113_065_000),
      );
    expect(sign('{}')['X-TC-Timestamp']).toBe('1551113065');
    expect(sign('{}')['Authorization']).toMatch(
      /^TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE\/2019-02-25\/hunyuan\/tc3_request, SignedHeaders=content-type;host, Signature=[0-9a-f]{64}$/,
    );
    expect(sign('{}')).not.toEqual(sign('{"a":1}'));
  });

  test('a token with a shared secret equals the published example', () => {
    const token = hmacToken(
      { typ: 'JWT' },
      { sub: '1234567890', name: 'John Doe', iat: 1_516_239_022 },
      'your-256-bit-secret',
    );
    expect(token).toBe(
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    );
  });

  test('a token signed with a private key verifies with the public one, also with line breaks pasted as \\n', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const token = await rsaToken({ kid: 'k1' }, { iss: 'someone' }, pem.replaceAll('\n', '\\n'));
    const [head = '', claims = '', signature = ''] = token.split('.');
    const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(verifier.verify(publicKey, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'RS256',
      typ: 'JWT',
      kid: 'k1',
    });
  });
});
