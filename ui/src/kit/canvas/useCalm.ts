import { useEffect, useRef, useState } from "react";

/** A value that changes often, a few times a second: for what takes long to derive from it. */
export function useCalm<T>(value: T, pause = 250): T {
  const [calm, setCalm] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setCalm(latest.current);
    }, pause);
  }, [value, pause]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return calm;
}
