// The mock in its own process: prints one line with its URL and serves until standard input closes (the parent ended) or a
// signal arrives.
import { startMockUpstream } from './index.ts';

const { MOCK_TLS_CERT: cert, MOCK_TLS_KEY: key } = process.env;
const mock = startMockUpstream({
  port: Number(process.env['MOCK_PORT'] ?? 0),
  keepRequests: Number(process.env['MOCK_KEEP_REQUESTS'] ?? 0),
  ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
});
process.stdout.write(`${JSON.stringify({ url: mock.url })}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
