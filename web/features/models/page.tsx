/** The page of the model that the path names. */
import { useParams } from '@tanstack/react-router';
import { ModelOfOne } from './model-page.tsx';

export function ModelOfPath() {
  const { _splat: name = '' } = useParams({ strict: false });
  return <ModelOfOne key={name} name={name} />;
}
