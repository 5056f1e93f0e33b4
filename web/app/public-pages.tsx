/** / and /about join two features that do not import each other: the operator's content and the questions below it. */
import { lazy, Suspense } from 'react';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Home = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/site/home-page.tsx')).HomePage })),
);
const About = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/site/about-page.tsx')).AboutPage })),
);
const Faq = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/announcements/faq.tsx')).Faq })),
);

const questions = (
  <Suspense>
    <Faq />
  </Suspense>
);

export function HomeRoutePage() {
  return (
    <Suspense>
      <Home faq={questions} />
    </Suspense>
  );
}

export function AboutRoutePage() {
  return (
    <Suspense>
      <About faq={questions} />
    </Suspense>
  );
}
