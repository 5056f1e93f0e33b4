// The time in Unix seconds. Tests set another clock.
export const unixSeconds = () => Math.floor(Date.now() / 1000);

export interface Clock {
  now?: () => number;
}

export const nowSeconds = ({ now = unixSeconds }: Clock): number => now();
