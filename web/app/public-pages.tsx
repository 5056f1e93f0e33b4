/** The public pages join features that do not import each other: the operator's content, the questions, the price list. */
import { lazy, Suspense } from 'react';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const About = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/site/about-page.tsx')).AboutPage })),
);
const Faq = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/announcements/faq.tsx')).Faq })),
);

const Pricing = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/pricing/page.tsx')).PricingPage })),
);
const PublicPage = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/site/public-page.tsx')).PublicPage })),
);
const NoticeBanner = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/site/notice-banner.tsx')).NoticeBanner })),
);

const questions = (
  <Suspense>
    <Faq />
  </Suspense>
);

export function AboutRoutePage() {
  return (
    <Suspense>
      <About faq={questions} />
    </Suspense>
  );
}

/** The price list scrolls; the notice above it and the footer below it stay in place. */
export function PricingRoutePage() {
  return (
    <Suspense>
      <PublicPage framed>
        <NoticeBanner />
        <Pricing />
      </PublicPage>
    </Suspense>
  );
}
