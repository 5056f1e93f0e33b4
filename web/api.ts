/** The typed client of the API and the query cache. A failed action shows its message as a toast; a page shows it in place. */
import { MutationCache, QueryClient } from '@tanstack/react-query';
import { wire } from 'virtual:contract-wire';
import type { TollgateApi } from '#contract/api.ts';
import { createClient } from '#contract/client.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { transport } from '#web/api/transport.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

// Only what a call needs of each endpoint: the types come from the contract, the schemas stay on the server.
/** As `web/build/contract.ts` writes it. */
const WIRE_TEXT = /^([A-Z]*)([^!*]+)(!?)(\*?)$/;

const declarations = Object.fromEntries(
  Object.entries(wire).map(([group, endpoints]) => [
    group,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, text]) => {
        const [, method = '', path = '', more, scoped] = WIRE_TEXT.exec(text) ?? [];
        const extra = { safeParse: () => ({ success: more !== '!' }) };
        return [name, { method: method || 'GET', path, organization: scoped === '*' || undefined, extra }];
      }),
    ),
  ]),
) as unknown as TollgateApi;

export const api = createClient(declarations, transport);

declare module '@tanstack/react-query' {
  interface Register {
    /** `silent`: the form shows the failure, so no toast does. */
    mutationMeta: { silent?: boolean };
  }
}

/** Retries only when the server was not reached or is overloaded; a refusal is final. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: shouldRetry, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      // The redirect to the login page is the message.
      if (error instanceof ApiError && error.status === 401) return;
      if (!mutation.meta?.silent) toast.error(errorMessage(error));
    },
  }),
});
