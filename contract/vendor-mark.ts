// The mark of a vendor: two letters in one of the chart colours, the same in the console and on the public pages.

/** Where the first two letters, or the capitals, are not what people know the vendor by. */
const LETTERS: Readonly<Record<string, string>> = {
  Alibaba: 'Qw',
  Baidu: 'Bd',
  Google: 'Ge',
  Midjourney: 'MJ',
  Moonshot: 'Ki',
  Perplexity: 'Px',
  Runway: 'Rw',
  xAI: 'xA',
  Zhipu: 'GL',
};

export interface VendorMark {
  letters: string;
  /** 1 to 10: the colour of a chart. */
  hue: number;
}

/** The mark of a vendor. `name`: the vendor's, or the model's where the vendor is not known. */
export function vendorMark(name: string): VendorMark {
  const plain = name.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (plain === '') return { letters: '·', hue: 10 };
  const capitals = plain.replaceAll(/[^A-Z]/g, '');
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return {
    letters: LETTERS[name] ?? (capitals.length > 1 ? capitals : plain).slice(0, 2),
    hue: (sum % 9) + 1,
  };
}
