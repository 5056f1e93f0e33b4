// A model as JSON-LD: a product with its price.
import { addressIn } from '#server/admin/public-pages/page.ts';
import { describeModel, type Shown } from './shown.ts';

export function structuredModel(shown: Pick<Shown, 'asked' | 'model' | 'group'>): object {
  const { asked, model, group } = shown;
  const price = model.prices[group];
  const url = addressIn({ ...asked, query: new URLSearchParams() }, asked.language);
  const perUnit = (value: number, unitText: string) => ({
    '@type': 'UnitPriceSpecification',
    price: value,
    priceCurrency: 'USD',
    unitText,
  });
  const specifications =
    price === undefined
      ? []
      : price.kind === 'usage'
        ? [perUnit(price.input, '1M input tokens'), perUnit(price.output, '1M output tokens')]
        : [perUnit(price.price, price.kind)];
  const [first] = specifications;
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: model.name,
    description: describeModel(shown),
    url,
    ...(model.vendor === '' ? {} : { brand: { '@type': 'Brand', name: model.vendor } }),
    ...(first === undefined
      ? {}
      : {
          offers: {
            '@type': 'Offer',
            url,
            price: first.price,
            priceCurrency: 'USD',
            availability: 'https://schema.org/InStock',
            priceSpecification: specifications,
            seller: { '@type': 'Organization', name: asked.site.name },
          },
        }),
  };
}
