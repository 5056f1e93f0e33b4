// An S3-compatible storage by the platform's client, which has no deadline; its address is checked like every other.
import type { Egress } from './egress.ts';

export interface S3Options {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3 {
  put(key: string, content: Blob | Uint8Array, type: string): Promise<void>;
  /** An address that can be read for a few minutes. */
  address(key: string): string;
  /** Keys in their order. */
  list(): Promise<string[]>;
  remove(key: string): Promise<void>;
}

const deadlineSeconds = 600;
const mostListed = 1000;

/** `options` are read for each call, because they are settings. Objects are in `folder`. */
export function createS3(options: () => S3Options, folder: string, egress: Pick<Egress, 'check'>): S3 {
  const client = (): Bun.S3Client => {
    const { region, ...needed } = options();
    if (Object.values(needed).includes('')) throw new Error('the S3 storage is not set up');
    return new Bun.S3Client({ ...needed, region });
  };
  const objectOf = (key: string) => `${folder}/${key}`;
  const checked = async <Result>(work: (s3: Bun.S3Client) => Promise<Result>): Promise<Result> => {
    const s3 = client();
    await egress.check('system', options().endpoint);
    return await inTime(work(s3));
  };
  return {
    async put(key, content, type) {
      await checked((s3) => s3.write(objectOf(key), content, { type }));
    },
    address: (key) => client().presign(objectOf(key), { method: 'GET', expiresIn: deadlineSeconds }),
    async list() {
      const { contents = [] } = await checked((s3) => s3.list({ prefix: objectOf(''), maxKeys: mostListed }));
      return contents.map(({ key }) => key.slice(objectOf('').length)).toSorted();
    },
    async remove(key) {
      await checked((s3) => s3.delete(objectOf(key)));
    },
  };
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error('the S3 storage took too long')),
    deadlineSeconds * 1000,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
