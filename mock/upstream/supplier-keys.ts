// The keys that the suppliers' dialects accept.
import { generateKeyPairSync } from 'node:crypto';

export const AWS_KEY = {
  accessKey: 'AKIAMOCKMOCKMOCK',
  secretKey: 'mock/secret+key',
  region: 'eu-central-1',
};
export const TENCENT_KEY = { secretId: 'AKIDmockmockmock', secretKey: 'mocksecretmocksecret' };
export const ZHIPU_KEY = { id: 'mockidmockid', secret: 'mocksecretmock' };
export const SPARK_KEY = { appId: 'mockapp1', apiSecret: 'mockapisecretmock', apiKey: 'mockapikeymock' };
export const BAIDU_KEY = { id: 'mockclientid', secret: 'mockclientsecret', token: '24.token-of-the-mock' };
export const VERTEX_TOKEN = 'ya29.token-of-the-mock';

let pair: { publicKey: string; privateKey: string } | undefined;

/** Generated in each run: the repository contains no secret. */
export function vertexKeys(): { publicKey: string; privateKey: string } {
  return (pair ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }));
}

export function serviceAccount(tokenAddress: string): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'mock-project',
    private_key_id: 'mock-key-1',
    private_key: vertexKeys().privateKey,
    client_email: 'mock@mock-project.iam.gserviceaccount.com',
    token_uri: tokenAddress,
  });
}
