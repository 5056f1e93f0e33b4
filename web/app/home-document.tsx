/** `/` is a page of the server: a link inside the console to it loads that document. */
import { useEffect } from 'react';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { shownTexts } from '#web/ui/feedback/toast.tsx';

export function HomeDocument() {
  useEffect(() => {
    // What a toast says here is said there, for example after a sign-in that lands on the first page.
    const texts = shownTexts();
    if (texts.length > 0) sessionStorage.setItem('messages', JSON.stringify(texts));
    location.reload();
  }, []);
  return <Loading page />;
}
