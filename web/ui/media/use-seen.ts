/** True once the element was on the screen: what is far below is not loaded. */
import { useEffect, useRef, useState } from 'react';

export function useSeen<Element extends HTMLElement>() {
  const ref = useRef<Element>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true), {
      rootMargin: '200px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, isSeen };
}
