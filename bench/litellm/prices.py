"""Writes crates/peelback-llm/src/chat/prices.toml from the table that comes with LiteLLM.

Usage: PYTHON bench/litellm/prices.py DATE > crates/peelback-llm/src/chat/prices.toml

DATE is today. The table is its maintainers' copy of the vendors' price pages;
look at a page before you trust a row with much money.
"""

import importlib.metadata
import importlib.resources
import json
import re
import sys

# What is left out: other uses than text, fine tuning, previews, names that move from model to model.
OTHER = re.compile(
    r"audio|search|research|ft:|tts|robotics|image|lyria|live|vision|computer-use|realtime|omni|exp|beta|preview|learnlm"
    r"|latest|guard|gemma|voxtral|pixtral|cyber|daybreak|rosalind|gv2|multi-agent|labs|vibe|gpt-3|gpt-4-|turbo|container"
)
VENDORS = ["anthropic", "openai", "gemini", "mistral", "deepseek", "groq", "xai"]
DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


def per_million(row, field):
    price = row.get(field)
    return None if price is None else round(float(price) * 1e6, 6)


def main():
    table = importlib.resources.files("litellm").joinpath("model_prices_and_context_window_backup.json")
    rows = {}
    for name, row in json.loads(table.read_text()).items():
        vendor = row.get("litellm_provider")
        if vendor not in VENDORS or row.get("mode") not in ("chat", "responses"):
            continue
        model = name.removeprefix(f"{vendor}/")
        # A model of a date costs what the model costs.
        if OTHER.search(model) or DATED.search(model):
            continue
        prices = {
            "input": per_million(row, "input_cost_per_token"),
            "cache_read": per_million(row, "cache_read_input_token_cost"),
            "cache_write": per_million(row, "cache_creation_input_token_cost"),
            "output": per_million(row, "output_cost_per_token"),
        }
        if not prices["input"] or not prices["output"]:
            continue
        rows[f"{vendor}/{model}"] = {key: price for key, price in prices.items() if price}
    print("# Prices of models in US dollars for a million tokens: what goes in, what is read from and written to the")
    print("# provider's cache, what comes out. Where a cache price is missing, that of `input` counts. They are the")
    print("# standard prices; conversations of more than 200,000 tokens cost more with some. A model that ends in a date")
    print("# costs what the model of the same name does.")
    print("#")
    print("# A file of this form with your own rows goes before this one. `\"provider/*\"` stands for all its models.")
    print(f'date = "{sys.argv[1]}"')
    print(
        "source = \"the vendors' public price pages, as the table of LiteLLM "
        f'{importlib.metadata.version("litellm")} has them"'
    )
    print("\n[models]")
    for name in sorted(rows, key=lambda name: (VENDORS.index(name.split("/")[0]), name)):
        fields = ", ".join(f"{key} = {price}" for key, price in rows[name].items())
        print(f'"{name}" = {{ {fields} }}')
    print("# It runs on one's own machine, which nobody bills by the token.")
    print('"ollama/*" = { input = 0.0, output = 0.0 }')


main()
