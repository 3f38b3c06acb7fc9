-- Every ecosystem says why it is kept or dropped.
SELECT ecosystem FROM ecosystems WHERE trim(reason) = '';
