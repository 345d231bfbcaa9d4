import { useEffect, useRef, useState } from "react";
import type { ApiClient } from "../api/client";
import { describeFailure } from "../api/errors";
import { useDebouncedValue } from "../hooks/useDebouncedValue";

interface Hit {
  tracking_no: string;
  city: string;
}

interface Props {
  api: ApiClient;
  onPick: (trackingNo: string) => void;
}

const TRACKING_NUMBER = /^HB\d{9}[A-Z]{2}$/i;
const MIN_LENGTH = 3;

/** A whole tracking number is opened at once, anything else is searched for. */
export function isTrackingNumber(text: string): boolean {
  return TRACKING_NUMBER.test(text.replace(/\s+/g, ""));
}

export function SearchBox({ api, onPick }: Props) {
  const [text, setText] = useState("");
  const [hits, setHits] = useState<Hit[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const query = useDebouncedValue(text.trim(), 250);
  const running = useRef<AbortController | null>(null);

  useEffect(() => {
    running.current?.abort();
    if (query.length < MIN_LENGTH) {
      setHits([]);
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    api
      .get<{ parcels: Hit[] }>(`/parcels?q=${encodeURIComponent(query)}`, controller.signal)
      .then((answer) => {
        setHits(answer.parcels);
        setFailure(null);
      })
      .catch((error) => {
        if (!controller.signal.aborted) setFailure(describeFailure(error));
      });
    return () => controller.abort();
  }, [api, query]);

  function submit() {
    if (isTrackingNumber(text)) onPick(text.replace(/\s+/g, "").toUpperCase());
    else if (hits.length === 1) onPick(hits[0].tracking_no);
  }

  return (
    <div className="search" role="search">
      <input
        value={text}
        placeholder="Tracking number, name or town"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && submit()}
      />
      {failure && <p className="banner">{failure}</p>}
      <ul>
        {hits.map((hit) => (
          <li key={hit.tracking_no} onClick={() => onPick(hit.tracking_no)}>
            {hit.tracking_no} {hit.city}
          </li>
        ))}
      </ul>
    </div>
  );
}
