// What a visitor may know of the models on sale: made by `pricing/`, shown by `public-pages/`.
import type { Text } from '#contract/language.ts';

/** In dollars: for a million tokens by class, or for one call or second. */
export type PublicPrice =
  | {
      readonly kind: 'usage';
      readonly input: number;
      readonly output: number;
      readonly cached: number;
      readonly cacheWrite: number;
      readonly cacheWrite1h: number;
    }
  | {
      readonly kind: 'call' | 'second';
      readonly price: number;
      /** Instead of `price`, by the resolution of a video. */
      readonly resolutions: Readonly<Record<string, number>>;
    };

export interface PublicModel {
  readonly name: string;
  /** Empty when the name is not in the built-in list. */
  readonly vendor: string;
  /** `chat`, `embedding`, `image` …; empty when unknown. */
  readonly kind: string;
  /** Tokens a prompt may have; 0 when unknown. */
  readonly context: number;
  /** Tokens an answer may have; 0 when unknown. */
  readonly maxOutput: number;
  readonly endpoints: readonly string[];
  /** Its place in the built-in list, each vendor's newest first; -1 when it is not in it. */
  readonly position: number;
  /** The price in each group of the catalogue that has a channel for it. */
  readonly prices: Readonly<Record<string, PublicPrice>>;
  /** Tiers, fees, minimums or hours can change what a call costs. */
  readonly hasRules: boolean;
  /** It is a name for several models, of which one is chosen for each call. */
  readonly virtual?: PublicVirtual;
}

export interface PublicVirtual {
  /** `answered`: a call is priced as the model that answered; `prices` is empty then. */
  readonly basis: 'answered' | 'own';
  /** In order; only those that the catalogue has. */
  readonly targets: readonly string[];
}

export interface PublicGroup {
  readonly name: string;
  readonly description: Text;
  readonly ratio: number;
}

export interface PublicCatalogue {
  /** Those that a visitor could call after registering, newest of each vendor first. */
  readonly models: readonly PublicModel[];
  /** The first is the one a new user is in. */
  readonly groups: readonly PublicGroup[];
}
