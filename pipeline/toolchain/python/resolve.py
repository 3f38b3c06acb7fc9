import sys

# Nothing is imported: what the interpreter has loaded by itself can't be replaced, and
# anything else would be looked for on the path that is in question.
cut = sys.argv.index("--")
here = sys.modules["os"].getcwd()
sys.path[0] = here
for folder in sys.argv[1:cut]:
    folder = here if folder == "." else here + "/" + folder
    if folder not in sys.path:
        sys.path.insert(0, folder)
loaded = set(sys.modules)
names = set(sys.argv[cut + 1:]) | set(getattr(sys, "stdlib_module_names", ())) - {"test"}
for name in sorted(names):
    if name in loaded:
        continue
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, None)
        except Exception:
            continue
        if spec:
            place = spec.origin or "".join(list(spec.submodule_search_locations or [])[:1])
            print(name + "\t" + str(place))
            break
