// The payment providers. A new one is a file and a line here; README.md has the whole list of places.
import type { PaymentMethodName } from '#contract/money/orders.ts';
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { createEpay, EPAY_CALLBACK_PATH } from './epay.ts';
import type { PaymentMethod, PaymentProvider } from './provider.ts';
import { createStripe, STRIPE_CALLBACK_PATH } from './stripe.ts';

export interface ProviderParts {
  settings: { readonly current: Settings };
  egress: Pick<Egress, 'fetch'>;
}

export interface OfferedMethod extends PaymentMethod {
  provider: PaymentProvider;
}

export interface Providers {
  /** Path → provider whose callbacks arrive there. */
  readonly callbacks: Readonly<Record<string, PaymentProvider>>;
  /** What can be paid with now. */
  methods(): OfferedMethod[];
  method(name: PaymentMethodName): OfferedMethod | undefined;
  byName(name: string): PaymentProvider | undefined;
  origins(): string[];
}

export function createProviders(parts: ProviderParts): Providers {
  const callbacks = {
    [EPAY_CALLBACK_PATH]: createEpay(parts),
    [STRIPE_CALLBACK_PATH]: createStripe(parts),
  };
  const all = Object.values(callbacks);
  const methods = () =>
    all.flatMap((provider) => provider.methods().map((method) => ({ ...method, provider })));
  return {
    callbacks,
    methods,
    method: (name) => methods().find((method) => method.name === name),
    byName: (name) => all.find((provider) => provider.name === name),
    origins: () => all.flatMap((provider) => [...provider.origins()]),
  };
}
